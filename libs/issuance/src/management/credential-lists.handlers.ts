import type { IssueListQuery, Page, Repository, TimeRange } from '@app/event-store';
import type { PageQuery } from '@app/http';
import { inLanes } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS, type CredentialStatus } from '../credential/credential';
import type { Validity } from '../credential/validity';
import { FindByReferences } from '../api';
import { CredentialReferences } from '../content/credential-references';

/** References that are looked for at the same time. */
const lanes = 8;
/** Credentials of one reference that are looked at. */
const mostOfEach = 20;

export interface CredentialFilter {
  readonly offerId: string | undefined;
  readonly authorizationId: string | undefined;
  readonly created: TimeRange | undefined;
  readonly issued: TimeRange | undefined;
  readonly templateId: string | undefined;
  readonly status: CredentialStatus | undefined;
  readonly signingKeyId: string | undefined;
  readonly validity: Validity | undefined;
}

/** In the order of creation or, when they are chosen by what comes with their issue, of issue; the newest first. */
export class ListCredentials extends Query<Page<Credential>> {
  constructor(
    readonly page: PageQuery,
    readonly filter: CredentialFilter,
  ) {
    super();
  }
}

@QueryHandler(ListCredentials)
export class ListCredentialsHandler implements IQueryHandler<ListCredentials> {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>) {}

  execute({ page, filter }: ListCredentials): Promise<Page<Credential>> {
    const { offerId, authorizationId, created, issued, templateId, status, signingKeyId, validity } = filter;
    // The few credentials of an offer or an authorization are found by it alone.
    const parent = offerId ?? authorizationId;
    if (parent !== undefined) {
      const besides = offerId === undefined ? undefined : authorizationId;
      const where = given({ authorizationId: besides, templateId, status, signingKeyId, validity });
      return this.credentials.list({ ...page, where, created, issued, parent });
    }
    const by = indexedOf(filter);
    if (by === undefined && issued === undefined) {
      return this.credentials.list({ ...page, where: given({ templateId, status }), created });
    }
    const others = { templateId, status, signingKeyId, validity, ...(by && { [by.member]: undefined }) };
    return this.credentials.listByIssue({ ...page, by, where: given(others), created, issued });
  }
}

/** Credentials whose data has this reference and was not erased, the newest first. */
export class FindByReference extends Query<readonly Credential[]> {
  /** @param most how many at most */
  constructor(
    readonly reference: string,
    readonly most: number,
  ) {
    super();
  }
}

@QueryHandler(FindByReference)
export class FindByReferenceHandler implements IQueryHandler<FindByReference> {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly references: CredentialReferences,
  ) {}

  execute({ reference, most }: FindByReference): Promise<readonly Credential[]> {
    return this.found(reference, most);
  }

  /** For many at once, of which hardly any is known. */
  async foundByEach(references: readonly string[], most: number): Promise<ReadonlyMap<string, readonly Credential[]>> {
    const all = references.map((reference) => this.references.placesOf(reference));
    const prefixes = all.flatMap((place) => place.prefixes);
    const [first] = all;
    const found = new Map<string, readonly Credential[]>();
    if (!first || (await this.credentials.findBound(first.kind, prefixes, 1)).length === 0) return found;
    await inLanes(references, lanes, async (reference) => {
      const credentials = await this.found(reference, most);
      if (credentials.length > 0) found.set(reference, credentials);
    });
    return found;
  }

  private async found(reference: string, most: number): Promise<readonly Credential[]> {
    const { kind, prefixes } = this.references.placesOf(reference);
    const found = await this.credentials.findBound(kind, prefixes, most);
    const kept = found.filter(({ dataKey, state }) => dataKey !== undefined && state.erasedAt === undefined);
    return kept.map(({ state }) => state).sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  }
}

@QueryHandler(FindByReferences)
export class FindByReferencesHandler implements IQueryHandler<FindByReferences> {
  constructor(private readonly each: FindByReferenceHandler) {}

  execute({ references }: FindByReferences): Promise<ReadonlyMap<string, readonly Credential[]>> {
    return this.each.foundByEach(references, mostOfEach);
  }
}

/** The one that fewer have: nearly all revocable credentials are valid, and one key has signed many. */
function indexedOf({
  signingKeyId,
  validity,
}: Pick<CredentialFilter, 'signingKeyId' | 'validity'>): IssueListQuery['by'] {
  if (validity !== undefined && (validity !== 'Valid' || signingKeyId === undefined)) {
    return { member: 'validity', value: validity };
  }
  return signingKeyId === undefined ? undefined : { member: 'signingKeyId', value: signingKeyId };
}

function given(filter: Readonly<Record<string, string | undefined>>): Record<string, string> | undefined {
  const members = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Record<string, string>);
}
