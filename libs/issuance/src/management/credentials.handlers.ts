import { randomUUID } from 'node:crypto';
import { FindWalletRefusals } from '@app/authorization';
import { credentialFormat } from '@app/credentials';
import { EventStore, Repository, type SingleUse, type StoredEvent } from '@app/event-store';
import { inOrderOfTime, type TimelineEntry, timelineOf } from '@app/http';
import { ServiceIdentity } from '@app/identity';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { meant } from '@app/primitives/json';
import { Sealer } from '@app/keys';
import { AttachCredential, FindRefusals, type LinksOfOffer } from '@app/offers';
import { concerning, Problem, type ProblemSlug, validationFailed, type Violation } from '@app/primitives/problems';
import {
  CheckClaims,
  type ClaimsRule,
  concernOf,
  FindCredentialConfiguration,
  GetConfigurationOfTemplate,
  ListCredentialConfigurations,
  IssuableConfiguration,
} from '@app/templates';
import { Inject } from '@nestjs/common';
import {
  CommandBus,
  CommandHandler,
  ICommandHandler,
  IQueryHandler,
  Query,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { CheckCredential, PrepareCredential, type PreparedCredential } from '../api';
import {
  CheckedSignature,
  Credential,
  CredentialEvent,
  CREDENTIALS,
  type CredentialTerms,
  prepareCredential,
} from '../credential/credential';
import type {
  CredentialInput,
  CredentialPlace,
  NamedConfiguration,
  RequestedExpiry,
  UnsignedCredential,
} from '../content/credential-input';
import { expiryOf, refuseUnsupported, unsignedContentOf } from '../content/credential-content';
import {
  type CredentialContent,
  submittedContent,
  namedHolderIn,
  sealContent,
  sealContentUnder,
} from '../credential/sealed-content';
import { openReason, openWaitingRequest, provenKeys } from '../credential/credential-request';
import { submitCredential } from '../content/credential-submission';
import { credentialEvents } from '../credential/credential-events';
import { IssuerSignatures } from '../content/issuer-signatures';
import { CredentialReferences } from '../content/credential-references';
import type { PreparationLimits } from '../content/preparation-limits';
import { expiryOfSigned, readSigned } from '../content/signed-credential';

type Credentials = Repository<Credential, CredentialEvent>;

/** One credential with its claims opened; `content` is undefined before they are submitted and once they were erased. */
export class GetCredential extends Query<{
  readonly credential: Credential;
  readonly version: number;
  readonly timeline: readonly TimelineEntry[];
  readonly content: CredentialContent | undefined;
  readonly isErased: boolean;
  /** For which it was denied. */
  readonly reason: string | undefined;
}> {
  constructor(readonly credentialId: string) {
    super();
  }
}

/** What was submitted, and its expiry by what was requested. */
interface CheckedInput {
  readonly content: CredentialContent;
  readonly signature?: CheckedSignature;
  readonly expiry: (asked: RequestedExpiry, now: Date) => Date | undefined;
}

interface AttachedTo {
  readonly credentialId: string;
  readonly isAwaited: boolean;
  readonly links: LinksOfOffer | undefined;
  readonly origin: Pick<CredentialTerms, 'offerId' | 'authorizationId'>;
}

@CommandHandler(PrepareCredential)
export class PrepareCredentialHandler implements ICommandHandler<PrepareCredential> {
  constructor(
    private readonly store: EventStore,
    @Inject(CREDENTIALS) private readonly credentials: Credentials,
    private readonly sealer: Sealer,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly signatures: IssuerSignatures,
    private readonly identity: ServiceIdentity,
    private readonly references: CredentialReferences,
  ) {}

  execute({ input, limits }: PrepareCredential): Promise<PreparedCredential> {
    const { named } = input;
    const concern = { template: named.templateId, configuration: named.configurationId };
    // A unit of work that runs again, also after a rejection, does not check the same claims by the same rule twice.
    const checks = new Map<string, Awaitable<CheckedInput>>();
    const checked = (configuration: IssuableConfiguration) => {
      const key = `${configuration.contentVersion} ${configuration.id}`;
      const known = checks.get(key) ?? this.check(input, configuration, limits);
      checks.set(key, known);
      return known;
    };
    const work = () =>
      whenThere(
        concerning(concern, () => this.configurationFor(named)),
        (configuration) =>
          concerning(concernOf(configuration), () =>
            whenThere(checked(configuration), (given) => this.prepare(input, configuration, given)),
          ),
      );
    // In the unit of work the template may be presumed. Keys of those who signed elsewhere may have to be fetched, too long for one.
    return Promise.resolve(typeof input.credential === 'string' ? work() : this.store.transact(work));
  }

  /** What is wrong with the data. Throws what is not about it. */
  async faultsIn({ input, limits }: CheckCredential): Promise<readonly Violation[]> {
    const configuration = await this.configurationFor(input.named);
    try {
      const { expiry } = await this.check(input, configuration, limits);
      expiry(input.expiresAt, this.store.clock());
      return [];
    } catch (error) {
      if (!(error instanceof Problem) || !aboutData.has(error.slug)) throw error;
      if (error.violations.length > 0) return error.violations;
      return [{ pointer: aboutExpiry.has(error.slug) ? '/expiresAt' : '', message: error.detail }];
    }
  }

  private check(
    { credential, isSubjectAlone }: CredentialInput,
    configuration: IssuableConfiguration,
    limits: PreparationLimits,
  ): Awaitable<CheckedInput> {
    if (typeof credential === 'string') {
      refuseUnsupported(configuration, 'signed');
      return this.signedInput(credential, configuration, limits);
    }
    refuseUnsupported(configuration, 'unsigned');
    return this.unsignedInput(
      isSubjectAlone ? withBadgeId(credential, configuration) : credential,
      configuration,
      limits,
    );
  }

  private prepare(
    { place, expiresAt: asked, reference, needsApproval = false, asksAgain }: CredentialInput,
    configuration: IssuableConfiguration,
    { content: submitted, signature, expiry }: CheckedInput,
  ): Awaitable<PreparedCredential> {
    const content = { ...submitted, ...(reference !== undefined && { reference }) };
    const consume = reference === undefined ? [] : [this.references.bindingOf(reference)];
    return this.store.transact(async () => {
      const now = this.store.clock();
      const expiresAt = expiry(asked, now);
      const { credentialId, isAwaited, links, origin } = await this.attach(place, configuration.id);
      const terms = {
        credentialId,
        ...origin,
        configurationId: configuration.id,
        format: configuration.format,
        createdAt: now.toISOString(),
        expiresAt: expiresAt ? expiresAt.toISOString() : null,
        ...(place.offerId === undefined && asked !== undefined && { expiryGiven: true as const }),
        ...(asksAgain && { asksAgain }),
        ...(signature && { signature }),
        ...(configuration.retention && { retention: configuration.retention }),
        ...(configuration.templateId !== undefined && { templateId: configuration.templateId }),
      };
      if (isAwaited)
        return { credential: await this.complete(terms, content, { configuration, needsApproval, consume }), links };
      return whenThere(
        sealContent(this.sealer, credentialId, content),
        ({ sealed: sealedContent, wrappedKey: dataKey }) =>
          whenThere(
            this.credentials.save(credentialId, 0, prepareCredential({ ...terms, sealedContent }), {
              dataKey,
              consume,
            }),
            ({ state }) => ({ credential: state, links }),
          ),
      );
    });
  }

  /** Where the credential belongs, and whether a wallet waits for it. Throws `conflict`. */
  private async attach(place: CredentialPlace, configurationId: string): Promise<AttachedTo> {
    const { credentialId: chosenId } = place;
    const isTaken = chosenId !== undefined && (await this.isAwaited(chosenId));
    if (place.offerId === undefined) {
      const { credentialId, authorizationId } = place;
      return { credentialId, isAwaited: isTaken, links: undefined, origin: { authorizationId } };
    }
    const { offerId, recipient } = place;
    const attach = new AttachCredential(offerId, configurationId, chosenId, recipient);
    const attached = await this.commands.execute(attach);
    if (isTaken && !attached.isAwaited) throw taken(attached.credentialId);
    return { ...attached, origin: { offerId } };
  }

  /** Completes the credential that a wallet waits for, under the id by which it was requested. */
  private async complete(
    terms: Omit<CredentialTerms, 'sealedContent'>,
    content: CredentialContent,
    { configuration, needsApproval, consume }: Completion,
  ): Promise<Credential> {
    const { credentialId } = terms;
    const { state } = await this.credentials.update(credentialId, async ({ state: awaited, now, dataKey }) => {
      if (!awaited) throw new Error('an offer that awaits a credential which does not exist');
      const request =
        dataKey && awaited.wait && (await openWaitingRequest(this.sealer, credentialId, awaited.wait, dataKey));
      const sealedContent = request && (await sealContentUnder(this.sealer, credentialId, content, dataKey));
      if (!request || sealedContent === undefined) throw erased(credentialId);
      const submitted = submitCredential(
        awaited,
        { ...terms, sealedContent },
        { named: namedHolderIn(content, configuration), keys: provenKeys(request.holders), now },
      );
      const events: CredentialEvent[] = needsApproval
        ? [...submitted, { type: 'CredentialApprovalRequested' }]
        : [...submitted];
      return { events, consume, result: undefined };
    });
    if (!state) throw new Error('a credential that was just completed');
    return state;
  }

  /** Whether the chosen id is that of a credential which a wallet waits for. Throws `conflict` for that of any other. */
  private async isAwaited(credentialId: string): Promise<boolean> {
    const { state } = await this.credentials.load(credentialId);
    if (state && state.status !== 'Requested') throw taken(credentialId);
    return state !== undefined;
  }

  private async configurationFor({ templateId, configurationId }: NamedConfiguration): Promise<IssuableConfiguration> {
    const configuration =
      templateId === undefined
        ? await this.queries.execute(new FindCredentialConfiguration(configurationId))
        : await this.queries.execute(new GetConfigurationOfTemplate(templateId));
    if (!configuration || (configurationId !== undefined && configuration.id !== configurationId)) {
      throw new Problem(
        'no-credential-configuration-found',
        templateId === undefined
          ? `There is no credential configuration ${configurationId}${await this.idMeant(configurationId)}`
          : `There is no credential configuration ${configurationId} of this template.`,
      );
    }
    return configuration;
  }

  private async idMeant(configurationId?: string): Promise<string> {
    const all = await this.queries.execute(new ListCredentialConfigurations());
    const ids = all.map(({ id }) => id);
    return meant(configurationId, ids) || '.';
  }

  private async signedInput(
    signed: string,
    configuration: IssuableConfiguration,
    { search }: PreparationLimits,
  ): Promise<CheckedInput> {
    const credential = readSigned(signed, configuration.format);
    const signature = await this.signatures.check(credential, search);
    const expiry = (asked: RequestedExpiry, now: Date) => expiryOfSigned(asked, credential, configuration, now);
    return { content: { signed }, signature, expiry };
  }

  private unsignedInput(
    credential: UnsignedCredential,
    configuration: IssuableConfiguration,
    { time }: PreparationLimits,
  ): Awaitable<CheckedInput> {
    const check = (rule: ClaimsRule, value: unknown, pointer: string) =>
      this.queries.execute(new CheckClaims(rule, value, pointer, time));
    const isDocument = credentialFormat(configuration.format).signedAs === 'document';
    const signer = isDocument ? this.identity.findDocumentSigner(configuration.signingAlgorithm) : undefined;
    return whenThere(unsignedContentOf(credential, configuration, check, signer), (content) =>
      check(configuration, content.claims, '/credential/credentialSubject').then((violations) =>
        this.satisfying(violations, configuration, content),
      ),
    );
  }

  /** Throws `credential-schema-validation-failed` where there are violations. A method, so that refusals say where they were decided. */
  private satisfying(
    violations: Parameters<typeof validationFailed>[0],
    configuration: IssuableConfiguration,
    content: CheckedInput['content'],
  ): CheckedInput {
    if (violations.length === 0) return { content, expiry: (asked, now) => expiryOf(asked, configuration, now) };
    const about = `The claims do not satisfy the schema of ${configuration.id}: `;
    throw validationFailed(violations, 'credential-schema-validation-failed', about);
  }
}

const aboutExpiry: ReadonlySet<ProblemSlug> = new Set(['invalid-expiration-date', 'expiration-exceeds-template-limit']);
const aboutData: ReadonlySet<ProblemSlug> = new Set([
  ...aboutExpiry,
  'invalid-identifier',
  'invalid-credential-payload',
  'credential-schema-validation-failed',
]);

@QueryHandler(CheckCredential)
export class CheckCredentialHandler implements IQueryHandler<CheckCredential> {
  constructor(private readonly preparation: PrepareCredentialHandler) {}

  execute(query: CheckCredential): Promise<readonly Violation[]> {
    return this.preparation.faultsIn(query);
  }
}

/** What goes with the completion of a credential. */
interface Completion {
  readonly configuration: IssuableConfiguration;
  readonly needsApproval: boolean;
  readonly consume: readonly SingleUse[];
}

function withBadgeId(credential: UnsignedCredential, { dataModel }: IssuableConfiguration): UnsignedCredential {
  return dataModel === 'open-badges-3.0' ? { id: `urn:uuid:${randomUUID()}`, ...credential } : credential;
}

function taken(credentialId: string): Problem {
  return new Problem('conflict', `A credential with the id ${credentialId} exists already.`);
}

function erased(credentialId: string): Problem {
  return new Problem('conflict', `The personal data of the credential ${credentialId} was erased; use another offer.`);
}

@QueryHandler(GetCredential)
export class GetCredentialHandler implements IQueryHandler<GetCredential> {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Credentials,
    private readonly sealer: Sealer,
    private readonly queries: QueryBus,
  ) {}

  async execute({ credentialId }: GetCredential) {
    const { state, version, dataKey, events } = await this.credentials.loadWithEvents(credentialId);
    if (!state) throw new Problem('not-found', `There is no credential with the id ${credentialId}.`);
    const content = await submittedContent(this.sealer, { events: () => Promise.resolve(events) }, { state, dataKey });
    const reason = state.status === 'Denied' && dataKey ? await openReason(this.sealer, state, dataKey) : undefined;
    const isErased = 'expiresAt' in state ? !content : !dataKey || state.erasedAt !== undefined;
    return { credential: state, version, timeline: await this.timelineOf(state, events), content, isErased, reason };
  }

  private async timelineOf(
    credential: Credential,
    history: readonly StoredEvent<CredentialEvent>[],
  ): Promise<readonly TimelineEntry[]> {
    return inOrderOfTime(timelineOf(history, credentialEvents), await this.refusalsOf(credential));
  }

  private async refusalsOf({ offerId, authorizationId, configurationId }: Credential) {
    if (offerId !== undefined) return this.queries.execute(new FindRefusals(offerId, configurationId));
    if (authorizationId === undefined) return [];
    return this.queries.execute(new FindWalletRefusals(authorizationId, configurationId));
  }
}
