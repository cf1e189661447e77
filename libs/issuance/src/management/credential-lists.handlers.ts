import { EventStore, type IssueListQuery, type Page, type Repository, type TimeRange } from '@app/event-store';
import { currentPrincipal, type PageQuery } from '@app/http';
import { inLanes } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS, type CredentialStatus } from '../credential/credential';
import type { Validity } from '../credential/validity';
import { validityOf } from '../credential/credential-validity';
import { FindByReferences } from '../api';
import { CredentialReferences } from '../content/credential-references';

/** References that are looked for at the same time. */
const lanes = 8;
/** Credentials of one reference that are looked at. */
const mostOfEach = 20;

export interface CredentialFilter {
  readonly preparedBy: 'self' | undefined;
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
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly store: EventStore,
  ) {}

  execute({ page, filter }: ListCredentials): Promise<Page<Credential>> {
    if (filter.preparedBy !== undefined) return this.preparedBySelf(page, filter);
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

  /** The audit knows whose they are; its page has those that the other filters leave. */
  private async preparedBySelf(page: PageQuery, filter: CredentialFilter): Promise<Page<Credential>> {
    const principal = currentPrincipal()?.id;
    const now = new Date();
    if (principal === undefined) return { items: [], nextCursor: null, now };
    const done = { principal, action: 'credentials.prepare', outcome: 'ok' };
    const { items, nextCursor } = await this.store.listAudit({ ...done, ...page });
    const ids = items.flatMap(({ object }) => object ?? []);
    const loaded = await Promise.all(ids.map(async (id) => ({ id, ...(await this.credentials.load(id)) })));
    const found = loaded.flatMap(({ id, state, version, createdAt = now, updatedAt = now }) =>
      state && matches(state, filter) ? [{ id, state, version, createdAt, updatedAt }] : [],
    );
    return { items: found, nextCursor, now };
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

function matches(credential: Credential, { created, issued, ...filter }: CredentialFilter): boolean {
  const { signingKeyId, issuedAt, ...others } = { signingKeyId: undefined, issuedAt: undefined, ...credential };
  const values: Readonly<Record<string, unknown>> = { ...others, signingKeyId, validity: validityOf(credential) };
  const isSame = Object.entries({ ...filter, preparedBy: undefined }).every(
    ([name, wanted]) => wanted === undefined || wanted === values[name],
  );
  return isSame && isWithin(created, credential.createdAt) && isWithin(issued, issuedAt);
}

function isWithin(range: TimeRange | undefined, at: string | undefined): boolean {
  if (range === undefined) return true;
  const time = at === undefined ? Number.NaN : Date.parse(at);
  return time >= (range.from?.getTime() ?? -Infinity) && time < (range.until?.getTime() ?? Infinity);
}

function given(filter: Readonly<Record<string, string | undefined>>): Record<string, string> | undefined {
  const members = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Record<string, string>);
}
