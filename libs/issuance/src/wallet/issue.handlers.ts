import type { AccessToken, PlaceInGrant } from '@app/authorization';
import { Settings } from '@app/config';
import type { Grant } from '@app/offers';
import {
  askedTwice,
  type CredentialAuthorisation,
  type CredentialRequest,
  type DeferredRequest,
  formatNameFor,
  unknownTransaction,
} from '@app/openid4vc';
import { whenThere } from '@app/primitives/awaitable';
import { concerning } from '@app/primitives/problems';
import { FindPromisedConfiguration, type IssuableConfiguration, ListCredentialConfigurations } from '@app/templates';
import { askOthersFor } from '@app/http';
import { Command, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { copiesOf, issueTo } from '../credential/credential-copies';
import { lifeOf } from '../credential/credential-life';
import { CredentialDenied } from '../credential/credential-denied';
import { type AskingWithProofs, CredentialRecords, type Recorded } from './credential-records';
import type { ProvenHolder } from '../credential/credential-request';
import { CredentialSigner, type RecordedCredential, type SignedTerms } from './credential-signer';
import { GrantedCredentials } from './granted-credentials';
import { type Promised, selectPromised } from '../credential/promised-credential';
import { type ProvenOnce, ProofVerifier, type VerifyProofs } from './proof-verifier';

export interface Issued {
  readonly outcome: 'issued';
  readonly credentials: readonly [string, ...string[]];
  /** What the wallet asked for, once. */
  readonly request: DeferredRequest;
  /** Place of the credential in the grant. */
  readonly index: number;
  /** Its number among the issues of the credential to different keys, from 0 on. */
  readonly issue: number;
  /** Whether its token is for no other credential. */
  readonly isOnly?: boolean;
  /** The database's clock. */
  readonly now: Date;
}

/** The wallet has to wait for the data of the credential. */
export interface Pending extends PlaceInGrant, Pick<Issued, 'request' | 'isOnly' | 'now'> {
  readonly outcome: 'pending';
  readonly requestedAt: Date;
  readonly submittableUntil: Date;
}

/** A credential that a wallet waits for; empty when the wallet has named none. */
export interface Transaction extends Partial<PlaceInGrant> {
  /** Of the id by which it is named. */
  readonly expiresAt?: Date;
}

/**
 * Issues credentials of a grant, each once for each key that the wallet has proved: all that are requested together, in their order, or
 * none, or else the one that the wallet waits for. Throws `OAuthError`.
 */
export class IssueCredentials extends Command<Answers> {
  constructor(
    readonly token: AccessToken,
    readonly asked: { readonly requests: Requests } | { readonly transaction: Transaction },
  ) {
    super();
  }
}

type Requests = readonly [CredentialRequest, ...CredentialRequest[]];
export type Answers = readonly [Issued | Pending, ...(Issued | Pending)[]];

interface InGrant {
  readonly grant: Grant;
  readonly now: Date;
  readonly index: number;
  readonly configuration: IssuableConfiguration;
  readonly recorded: Recorded;
}

@CommandHandler(IssueCredentials)
export class IssueCredentialsHandler implements ICommandHandler<IssueCredentials> {
  constructor(
    private readonly queries: QueryBus,
    private readonly granted: GrantedCredentials,
    private readonly records: CredentialRecords,
    private readonly signer: CredentialSigner,
    private readonly proofs: ProofVerifier,
    private readonly settings: Settings,
  ) {}

  async execute(command: IssueCredentials): Promise<Answers> {
    try {
      return await this.issued(command);
    } catch (error) {
      if (error instanceof CredentialDenied) await this.granted.recordDenials(command.token.grant, error.denials);
      throw error;
    }
  }

  /** Everything that a request decides is one unit of work; what was recorded is signed then. */
  private async issued({ token, asked }: IssueCredentials): Promise<Answers> {
    const judged =
      'requests' in asked
        ? await this.requested(asked.requests, token)
        : [await this.awaited(asked.transaction, token)];
    const isAnyPending = judged.some(({ recorded }) => recorded.outcome === 'pending');
    const provided = isAnyPending
      ? await Promise.all(judged.map((one) => this.provided(one, token, judged.length > 1)))
      : judged;
    const answers: (Issued | Pending)[] = [];
    for (const one of provided) answers.push(await this.answered(one));
    const [first, ...others] = answers;
    if (first === undefined) throw new Error('every request has an answer');
    return [first, ...others];
  }

  private async answered(judged: InGrant): Promise<Issued | Pending> {
    const { grant, now, index, configuration, recorded } = judged;
    if (recorded.outcome === 'denied') throw recorded.denied;
    const { request, holders } = recorded;
    const isOnly = grant.configurationIds.length === 1;
    if (recorded.outcome === 'pending') {
      const { requestedAt, submittableUntil } = recorded.wait;
      const wait = { requestedAt: new Date(requestedAt), submittableUntil: new Date(submittableUntil) };
      return { outcome: 'pending', request, ...this.granted.placeOf(grant, index), isOnly, now, ...wait };
    }
    const { content, credential } = recorded;
    const credentials =
      'signed' in content
        ? [content.signed]
        : await this.sign({ credential, content, configuration }, holders, {
            formatName: formatNameFor(request, configuration.format),
            ...lifeOf(credential.expiresAt, now, this.areTimesCut(holders.length, copiesOf(credential))),
          });
    const [first, ...others] = credentials;
    if (first === undefined) throw new Error('verified proofs are never empty');
    const keys = holders.map(({ thumbprint }) => thumbprint);
    const issue = issueTo(credential, keys) ?? 0;
    return {
      outcome: 'issued',
      credentials: [first, ...others],
      request,
      index,
      issue,
      isOnly,
      now,
    };
  }

  /** Those of several copies always are. */
  private areTimesCut(keys: number, copies: number): boolean {
    return keys > 1 || copies > 1 || !this.settings.issuer.exactTimes;
  }

  /** A credential without data, once more when the data could be had now. */
  private async provided(judged: InGrant, token: AccessToken, isOneOfMany: boolean): Promise<InGrant> {
    const { recorded, grant, index, configuration } = judged;
    if (recorded.outcome !== 'pending') return judged;
    try {
      if (!(await this.granted.provide(grant, configuration))) return judged;
      // The proof that came with the token was used up with the request.
      const { uses: _uses, ...proven } = token;
      return await this.awaited(this.granted.placeOf(grant, index), proven);
    } catch (error) {
      if (!isOneOfMany || !(error instanceof CredentialDenied)) throw error;
      // The others are issued by now: the wallet hears of this one when it asks for it again.
      await this.granted.recordDenials(token.grant, error.denials);
      return judged;
    }
  }

  private async sign(
    recorded: RecordedCredential,
    holders: readonly ProvenHolder[],
    terms: SignedTerms,
  ): Promise<readonly string[]> {
    const { credential, configuration } = recorded;
    const identity = this.signer.identityFor(configuration);
    const { keyId } = identity;
    const isRecorded = 'issuedAt' in credential && credential.signingKeyId === keyId;
    if (!isRecorded) await this.records.recordSigningKey(credential.credentialId, keyId);
    return this.signer.sign(recorded, holders, terms, identity);
  }

  private requested(requests: Requests, token: AccessToken): Promise<readonly InGrant[]> {
    return this.records.decideOn(requests[0], async () => {
      const grant = await this.granted.grantBy(token);
      const promised = await this.promisedBy(grant);
      const verify = this.proofs.forRequests(token, grant.now);
      const judged: InGrant[] = [];
      for (const [place, request] of requests.entries()) {
        const earlier = judged.map(({ configuration }) => configuration.id);
        const configuration = await this.configurationFor(request, { token, grant, promised, earlier });
        if (earlier.includes(configuration.id)) throw askedTwice(place, earlier.indexOf(configuration.id));
        const one = await concerning({ configuration: configuration.id }, () =>
          this.proven(request, token, grant, configuration, verify),
        );
        // Of several, none is issued then.
        if (requests.length > 1 && one.recorded.outcome === 'denied') throw one.recorded.denied;
        judged.push(one);
      }
      const released = judged.some(isIssued) ? this.granted.releasePerson(token.grant, grant) : undefined;
      return whenThere(released, () => judged);
    });
  }

  private proven(
    request: CredentialRequest,
    token: AccessToken,
    grant: Grant,
    configuration: IssuableConfiguration,
    verify: VerifyProofs,
  ): Promise<InGrant> {
    askOthersFor(`grant ${token.grant.hash.toString('base64url')}`);
    return verify(request, configuration).then((proven) => {
      const index = grant.credentials.findIndex(({ configurationId }) => configurationId === configuration.id);
      return whenThere(this.granted.credentialOf(grant, index, configuration), (credentialId) => {
        const asking = this.askingWith(proven, { request, token, grant, configuration });
        const recorded =
          credentialId === undefined
            ? this.records.recordRequest(grant, asking)
            : this.records.recordIssue(credentialId, asking);
        return whenThere(recorded, (made) => ({ grant, now: grant.now, index, configuration, recorded: made }));
      });
    });
  }

  private askingWith(
    { holders, attestedBy, nonce, isNonceNoted }: ProvenOnce,
    { request, token, grant, configuration }: Asked,
  ): AskingWithProofs {
    const sharesNonce = grant.credentials.length > 1;
    const submittableUntil = this.granted.submittableUntil(grant, token);
    const { keyId: signingKeyId } = this.signer.identityFor(configuration);
    const { grant: name } = token;
    const asked = { grant: name, configuration, signingKeyId, request, holders, ...(attestedBy && { attestedBy }) };
    const again = this.granted.againBy(token, grant, configuration);
    return { ...asked, again, nonce, isNonceNoted, sharesNonce, submittableUntil };
  }

  private async awaited(transaction: Transaction, token: AccessToken): Promise<InGrant> {
    const { index = -1, expiresAt } = transaction;
    const grant = await this.granted.grantAwaiting(token, transaction);
    if (expiresAt && grant.now >= expiresAt) throw unknownTransaction();
    const { configurationId, credentialId } = grant.credentials[index] ?? {};
    if (configurationId === undefined || credentialId === undefined) throw unknownTransaction();
    // A refreshed token may be for less than the wallet has asked for before.
    if (!grant.configurationIds.includes(configurationId)) throw unknownTransaction();
    const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
    const promised = selectPromised(
      { by: 'configuration', configurationId },
      { configurationIds: [configurationId], identifiersGiven: false },
      [{ configurationId, found }],
      [],
    );
    const configuration = this.signer.forWallet(promised, token.grant);
    const { keyId: signingKeyId } = this.signer.identityFor(configuration);
    const asking = { grant: token.grant, configuration, signingKeyId };
    const recorded = await this.records.recordCollection(credentialId, asking);
    const collected = { grant, now: grant.now, index, configuration, recorded };
    if (isIssued(collected)) await this.granted.releasePerson(token.grant, grant);
    return collected;
  }

  /** What the token covers is read from the store. */
  private async promisedBy({ configurationIds }: Grant): Promise<readonly Promised[]> {
    const promised: Promised[] = [];
    for (const configurationId of configurationIds) {
      const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
      promised.push({ configurationId, found });
    }
    return promised;
  }

  /** Of several that a request may mean, one that the requests before it did not. */
  private configurationFor(
    { named }: CredentialRequest,
    { token, grant, promised, earlier }: Choice,
  ): Promise<IssuableConfiguration> {
    const left = grant.configurationIds.filter((id) => !earlier.includes(id));
    const isByCode = token.grant.kind === 'authorization_code';
    const authorised: CredentialAuthorisation = {
      ...grant,
      configurationIds: [...left, ...earlier],
      ...(isByCode && { uncovered: 'credential_request_denied' }),
    };
    return this.queries
      .execute(new ListCredentialConfigurations())
      .then((all) => this.signer.forWallet(selectPromised(named, authorised, promised, all), token.grant));
  }
}

interface Asked {
  readonly request: CredentialRequest;
  readonly token: AccessToken;
  readonly grant: Grant;
  readonly configuration: IssuableConfiguration;
}

interface Choice {
  readonly token: AccessToken;
  readonly grant: Grant;
  readonly promised: readonly Promised[];
  /** What the same wallet asks for in the requests before. */
  readonly earlier: readonly string[];
}

function isIssued({ recorded }: InGrant): boolean {
  return recorded.outcome === 'issued';
}
