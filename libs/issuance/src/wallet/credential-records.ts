import { AwaitGrantedCredential } from '@app/authorization';
import type { AttestedBy } from '@app/credentials';
import { type Decision, EventStore, type Loaded, Repository, type SingleUse } from '@app/event-store';
import { type Grant, type GrantName, originOf } from '@app/offers';
import { Sealer } from '@app/keys';
import { type DeferredRequest, OAuthError, unknownTransaction } from '@app/openid4vc';
import { TakeStatusEntries } from '@app/status';
import { erasureAfterIssue, isBuildable, type IssuableConfiguration } from '@app/templates';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { authorizedId } from './authorized-grants';
import {
  Credential,
  CredentialEvent,
  CREDENTIALS,
  issueCredential,
  requestCredential,
  signCredential,
  type SubmittedCredential,
  type Wait,
  type WaitingCredential,
  withStatusList,
} from '../credential/credential';
import { hasServed } from '../credential/credential-collection';
import type { AskingAgain } from '../credential/credential-copies';
import { CredentialDenied } from '../credential/credential-denied';
import {
  isOfGrant,
  openReason,
  openWaitingRequest,
  placeOfRequest,
  provenKeys,
  type ProvenHolder,
  waitingRequest,
} from '../credential/credential-request';
import { HolderPseudonyms } from './holder-pseudonyms';
import { type NonceUse, NonceUses } from './nonce-uses';
import { type CredentialContent, submittedContent, namedHolderIn } from '../credential/sealed-content';

/** A wallet that asks for a credential, with proofs of its keys or for the one that it waits for. */
interface Asking {
  readonly grant: GrantName;
  readonly configuration: IssuableConfiguration;
  readonly request: DeferredRequest;
  readonly holders: readonly ProvenHolder[];
  /** Of the keys, where the configuration requires that they are attested. */
  readonly attestedBy?: readonly AttestedBy[];
  /** The key that signs at present. */
  readonly signingKeyId: string;
  /** Who asks at the credential endpoint, where there may be other keys than before. */
  readonly again?: AskingAgain;
}

export interface AskingWithProofs extends Asking {
  readonly nonce: SingleUse;
  /** A grant of several credentials: its nonce serves once for each. */
  readonly sharesNonce: boolean;
  /** Another credential of the same request uses its nonce, too. */
  readonly isNonceNoted: boolean;
  /** Until when the portal may submit data that is missing. */
  readonly submittableUntil: Date;
}

/**
 * A credential to be signed for its holders, one whose data is missing, or a denial that is recorded all the same. The request
 * decides the form of the answer.
 */
export type Recorded =
  | (Issuable & { readonly credential: SubmittedCredential })
  | (Answerable & { readonly outcome: 'pending'; readonly wait: Wait })
  | { readonly outcome: 'denied'; readonly denied: CredentialDenied };

type Answerable = Pick<Asking, 'request' | 'holders'>;
type Issuable = Answerable & { readonly outcome: 'issued'; readonly content: CredentialContent };
type Judged = (Issuable & { readonly pseudonyms: HolderPseudonyms }) | Exclude<Recorded, { outcome: 'issued' }>;
/** A credential that was not erased, and what is sealed of it and of the request for it. */
interface Opened {
  readonly state: Credential;
  readonly dataKey: Buffer;
}

interface Known {
  readonly content: CredentialContent | undefined;
  readonly pseudonyms: HolderPseudonyms | undefined;
  readonly awaitedBy: readonly string[] | undefined;
}

type Judgement = Judged & { readonly events: readonly CredentialEvent[] };

/** What the event store learns while a wallet fetches a credential. */
@Injectable()
export class CredentialRecords {
  constructor(
    private readonly store: EventStore,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly sealer: Sealer,
    private readonly nonces: NonceUses,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Runs the work as one unit, which `recordIssue` or `recordRequest` is to be part of.
   * @throws OAuthError for a nonce that was used before
   */
  decideOn<T>(request: DeferredRequest, work: () => Promise<T>): Promise<T> {
    return this.nonces.during(request, () => this.store.transact(work));
  }

  /**
   * Records the first issue and uses the nonce up, before anything is signed: no credential leaves without its event. A
   * request with other keys than there may be uses its nonce up, too, so that a used nonce is always refused as such;
   * it is denied then. Throws `CredentialDenied`.
   */
  recordIssue(credentialId: string, asking: AskingWithProofs): Awaitable<Recorded> {
    const decide = (loaded: Loaded<Credential>) => {
      const { state, now, dataKey } = loaded;
      const isRequested = state?.status === 'Requested' && dataKey;
      const awaited = isRequested ? this.keysAwaiting(state, dataKey, asking.grant) : undefined;
      const judged = whenThere(awaited, (keys) =>
        isRequested && !keys ? this.requestAnew(state, now, dataKey, asking) : this.judge(loaded, asking),
      );
      return whenThere(judged, ({ events, ...result }) =>
        whenThere(this.nonces.of(useOf(asking)), (consume) => ({ events, consume, result })),
      );
    };
    return this.record(credentialId, decide);
  }

  /**
   * Records that a wallet asks for a credential whose data was not submitted. If it was in the meantime, or a repeated request
   * was faster, it is as `recordIssue`.
   */
  async recordRequest(grant: Grant, asking: AskingWithProofs): Promise<Recorded> {
    const { configuration, request, holders } = asking;
    const { credentialId, isNew } = await this.awaitedCredential(grant, asking);
    if (!isNew) return this.recordIssue(credentialId, asking);
    const now = this.store.clock();
    const { sealed, wrappedKey } = await this.sealer.sealJson(waitingRequest(asking), placeOfRequest(credentialId));
    const wait = waitFrom(now, asking, sealed);
    const { id: configurationId, format, templateId } = configuration;
    const terms = { credentialId, ...originOf(grant), configurationId, format, createdAt: now.toISOString(), ...wait };
    const events = requestCredential({
      ...terms,
      ...(templateId !== undefined && { templateId }),
      ...(configuration.retention && { eraseAt: wait.submittableUntil }),
    });
    const consume = await this.nonces.of(useOf(asking));
    await this.credentials.save(credentialId, 0, events, { dataKey: wrappedKey, consume });
    return { outcome: 'pending', wait, request, holders };
  }

  /** The credential that the wallet waits for from now on, or has been waiting for. The id of an authorization's is known before. */
  private async awaitedCredential(
    grant: Grant,
    { grant: name, configuration }: Asking,
  ): Promise<{ readonly credentialId: string; readonly isNew: boolean }> {
    if (grant.data === 'authorization') {
      return { credentialId: authorizedId(grant, configuration), isNew: true };
    }
    const newId = randomUUID();
    const credentialId = await this.commands.execute(new AwaitGrantedCredential(name, grant, configuration.id, newId));
    if (credentialId === undefined)
      throw new OAuthError('invalid_token', 'The access token has expired.', { reason: 'token-expired' });
    return { credentialId, isNew: credentialId === newId };
  }

  /**
   * Issues a credential to the wallet that waits for it, to the keys that it proved when it asked.
   * Throws `CredentialDenied`, and `OAuthError` when this grant does not wait for it.
   */
  recordCollection(
    credentialId: string,
    asking: Omit<Asking, 'request' | 'holders' | 'attestedBy'>,
  ): Awaitable<Recorded> {
    const { configuration, grant } = asking;
    const decide = async (loaded: Loaded<Credential>) => {
      const { state, now, dataKey } = loaded;
      if (!state || !dataKey) throw CredentialDenied.of(configuration, 'credential-erased');
      if (!state.wait || hasServed(state, now)) throw unknownTransaction();
      const awaited = await openWaitingRequest(this.sealer, credentialId, state.wait, dataKey);
      if (!awaited) throw CredentialDenied.of(configuration, 'credential-erased');
      if (!isOfGrant(awaited, grant)) throw unknownTransaction();
      const { request, holders, attestedBy } = awaited;
      const attested = attestedBy && { attestedBy };
      const { events, ...result } = await this.judge(loaded, { ...asking, request, holders, ...attested });
      return { events, result };
    };
    return this.record(credentialId, decide);
  }

  /** Before another key signs than the one of the recorded issue: it was rotated since, or this issue is a repeated one. */
  async recordSigningKey(credentialId: string, signingKeyId: string): Promise<void> {
    await this.credentials.update(credentialId, ({ state }) => {
      if (!state) throw new Error('a credential that was issued is there');
      return signCredential(state, signingKeyId);
    });
  }

  private record(
    credentialId: string,
    decide: (loaded: Loaded<Credential>) => Awaitable<Decision<CredentialEvent, Judged>>,
  ): Awaitable<Recorded> {
    return whenThere(this.credentials.update(credentialId, decide), ({ state, result }) => {
      if (result.outcome !== 'issued') return result;
      if (!state || !('expiresAt' in state)) throw new Error('a credential that was issued is there');
      const { pseudonyms, ...issued } = result;
      return { ...issued, credential: pseudonyms.read(state) };
    });
  }

  /** Another wallet asks, by the new link of a reopened offer. */
  private async requestAnew(
    { status: _status, wait: _wait, ...terms }: WaitingCredential,
    now: Date,
    dataKey: Buffer,
    asking: AskingWithProofs,
  ): Promise<Judgement> {
    const { configuration, request, holders } = asking;
    const place = placeOfRequest(terms.credentialId);
    const sealedRequest = await this.sealer.sealJsonUnder(waitingRequest(asking), dataKey, place);
    if (sealedRequest === undefined) throw CredentialDenied.of(configuration, 'credential-erased');
    const wait = waitFrom(now, asking, sealedRequest);
    const eraseAt = terms.eraseAt === undefined ? undefined : wait.submittableUntil;
    const events = requestCredential({ ...terms, ...wait, ...(eraseAt !== undefined && { eraseAt }) });
    return { events, outcome: 'pending', wait, request, holders };
  }

  private judge({ state, now, dataKey }: Loaded<Credential>, asking: Asking): Awaitable<Judgement> {
    const { configuration, holders } = asking;
    if (!state || !dataKey) throw CredentialDenied.of(configuration, 'credential-erased');
    const thumbprints = holders.map(({ thumbprint }) => thumbprint);
    const place = { sealer: this.sealer, credentialId: state.credentialId, wrappedKey: dataKey };
    return whenThere(submittedContent(this.sealer, this.credentials, { state, dataKey }), (content) =>
      whenThere(HolderPseudonyms.of(thumbprints, place), (pseudonyms) =>
        whenThere(this.keysAwaiting(state, dataKey, asking.grant), (awaitedBy) =>
          this.judgeOpened({ state, now, dataKey }, asking, { content, pseudonyms, awaitedBy }),
        ),
      ),
    );
  }

  private judgeOpened(
    { state, now, dataKey }: Pick<Loaded<Credential>, 'now'> & Opened,
    asking: Asking,
    { content, pseudonyms, awaitedBy }: Known,
  ): Awaitable<Judgement> {
    const { configuration, request, holders } = asking;
    if (!pseudonyms || ('expiresAt' in state && !content))
      throw CredentialDenied.of(configuration, 'credential-erased');
    const { events, refusal } = issueCredential(pseudonyms.read(state), {
      holders: provenKeys(holders),
      named: content && namedHolderIn(content, configuration),
      eraseAt: 'retention' in state ? erasureAfterIssue(state.retention, now) : undefined,
      awaitedBy,
      attestedBy: asking.attestedBy,
      signingKeyId: content && 'signed' in content ? undefined : asking.signingKeyId,
      again: asking.again,
      now,
    });
    if (refusal === 'pending') {
      if (!state.wait) throw new Error('a credential without data that no wallet waits for');
      return { events, outcome: 'pending', wait: state.wait, request, holders };
    }
    return whenThere(state.status === 'Denied' ? openReason(this.sealer, state, dataKey) : undefined, (reason) => {
      const denied = refusal && CredentialDenied.of(configuration, `credential-${refusal}`, reason);
      const isNonceUsed = refusal === 'other-keys' || refusal === 'too-many-copies';
      if (denied && !isNonceUsed) throw denied;
      // A newer version prepared it in a data model that would come out wrong here.
      if (content && !('signed' in content || isBuildable(configuration)))
        throw CredentialDenied.of(configuration, 'newer-version');
      if (denied) return { events, outcome: 'denied', denied };
      if (!content) throw new Error('an issue of a credential without data');
      return whenThere(this.listed(events, asking, content), (recorded) => {
        return { events: pseudonyms.write(recorded), outcome: 'issued', content, request, holders, pseudonyms };
      });
    });
  }

  /** The events of an issue with the entries in a status list: used up, also when the unit fails. */
  private listed(
    events: readonly CredentialEvent[],
    { configuration, holders }: Asking,
    content: CredentialContent,
  ): Awaitable<readonly CredentialEvent[]> {
    // What was signed elsewhere has the status that its signer gave it.
    if (!configuration.revocable || events.length === 0 || 'signed' in content) return events;
    const { issuerIdentifier: identifier, signingAlgorithm: algorithm } = configuration;
    return this.commands
      .execute(new TakeStatusEntries({ identifier, algorithm }, holders.length))
      .then((entries) => withStatusList(events, entries));
  }

  /** The keys that count from the request of a wallet which waits; once a credential is issued it names its keys itself. */
  private keysAwaiting(
    credential: Credential,
    dataKey: Buffer,
    grant: GrantName,
  ): Awaitable<readonly string[] | undefined> {
    if (!credential.wait || 'issuedAt' in credential) return undefined;
    const opened = openWaitingRequest(this.sealer, credential.credentialId, credential.wait, dataKey);
    return whenThere(opened, (awaited) =>
      awaited && isOfGrant(awaited, grant) ? awaited.holders.map(({ thumbprint }) => thumbprint) : undefined,
    );
  }
}

function useOf({ nonce, configuration, grant, sharesNonce, isNonceNoted: isNoted }: AskingWithProofs): NonceUse {
  return { nonce, configurationId: configuration.id, sharedBy: sharesNonce ? grant : undefined, isNoted };
}

function waitFrom(now: Date, { submittableUntil }: AskingWithProofs, sealedRequest: string): Wait {
  return { requestedAt: now.toISOString(), submittableUntil: submittableUntil.toISOString(), sealedRequest };
}
