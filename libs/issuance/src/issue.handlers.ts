import type { AccessToken, PlaceInGrant } from '@app/authorization';
import type { Grant } from '@app/grants';
import {
  type CredentialAuthorisation,
  type CredentialRequest,
  type DeferredRequest,
  formatNameFor,
  unknownTransaction,
} from '@app/openid4vc';
import { concerning } from '@app/problem-details';
import { FindPromisedConfiguration, type IssuableConfiguration, ListCredentialConfigurations } from '@app/templates';
import { askOthersFor } from '@app/web';
import { Command, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { lifeOf } from './credential-life';
import { CredentialDenied } from './credential-denied';
import { CredentialRecords, type Recorded } from './credential-records';
import type { ProvenHolder } from './credential-request';
import { CredentialSigner, type RecordedCredential, type SignedTerms } from './credential-signer';
import { GrantedCredentials } from './granted-credentials';
import { type Promised, selectPromised } from './promised-credential';
import { ProofVerifier } from './proof-verifier';

export interface Issued {
  readonly outcome: 'issued';
  readonly credentials: readonly [string, ...string[]];
  /** What the wallet asked for, once. */
  readonly request: DeferredRequest;
  /** Place of the credential in the grant. */
  readonly index: number;
  /** The database's clock. */
  readonly now: Date;
}

/** The wallet has to wait for the data of the credential. */
export interface Pending extends PlaceInGrant, Pick<Issued, 'request' | 'now'> {
  readonly outcome: 'pending';
  readonly requestedAt: Date;
  readonly submittableUntil: Date;
}

/** A credential that a wallet waits for; empty when the wallet has named none. */
export interface Transaction extends Partial<PlaceInGrant> {
  /** Of the id by which it is named. */
  readonly expiresAt?: Date;
}

/** Issues one credential of a grant, once for each key that the wallet has proved. Throws `OAuthError`. */
export class IssueCredential extends Command<Issued | Pending> {
  constructor(
    readonly token: AccessToken,
    readonly asked: CredentialRequest | Transaction,
  ) {
    super();
  }
}

interface InGrant {
  readonly grant: Grant;
  readonly now: Date;
  readonly index: number;
  readonly configuration: IssuableConfiguration;
  readonly recorded: Recorded;
}

@CommandHandler(IssueCredential)
export class IssueCredentialHandler implements ICommandHandler<IssueCredential> {
  constructor(
    private readonly queries: QueryBus,
    private readonly granted: GrantedCredentials,
    private readonly records: CredentialRecords,
    private readonly signer: CredentialSigner,
    private readonly proofs: ProofVerifier,
  ) {}

  async execute(command: IssueCredential): Promise<Issued | Pending> {
    try {
      return await this.issued(command);
    } catch (error) {
      if (error instanceof CredentialDenied) await this.granted.recordDenials(command.token.grant, error.denials);
      throw error;
    }
  }

  /** Everything that a request decides is one unit of work; what was recorded is signed then. */
  private async issued({ token, asked }: IssueCredential): Promise<Issued | Pending> {
    const judged =
      'proofs' in asked
        ? await this.records.decideOn(asked, () => this.requested(asked, token))
        : await this.awaited(asked, token);
    const { grant, now, index, configuration, recorded } = (await this.provided(judged, token)) ?? judged;
    if (recorded.outcome === 'denied') throw recorded.denied;
    const { request, holders } = recorded;
    if (recorded.outcome === 'pending') {
      const { requestedAt, submittableUntil } = recorded.wait;
      const wait = { requestedAt: new Date(requestedAt), submittableUntil: new Date(submittableUntil) };
      return { outcome: 'pending', request, ...this.granted.placeOf(grant, index), now, ...wait };
    }
    await this.granted.releasePerson(token.grant, grant);
    const { content, credential } = recorded;
    const credentials =
      'signed' in content
        ? [content.signed]
        : await this.sign({ credential, content, configuration }, holders, {
            formatName: formatNameFor(request, configuration.format),
            ...lifeOf(credential.expiresAt, now, holders.length > 1),
          });
    const [first, ...others] = credentials;
    if (first === undefined) throw new Error('verified proofs are never empty');
    return { outcome: 'issued', credentials: [first, ...others], request, index, now };
  }

  /** A credential without data, once more when the data could be had now. */
  private async provided({ recorded, grant, index, configuration }: InGrant, token: AccessToken) {
    if (recorded.outcome !== 'pending') return undefined;
    if (!(await this.granted.provide(grant, configuration))) return undefined;
    // The proof that came with the token was used up with the request.
    const { uses: _uses, ...proven } = token;
    return this.awaited(this.granted.placeOf(grant, index), proven);
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

  private async requested(request: CredentialRequest, token: AccessToken): Promise<InGrant> {
    const grant = await this.granted.grantBy(token);
    const isByCode = token.grant.kind === 'authorization_code';
    const authorised = isByCode ? ({ ...grant, uncovered: 'credential_request_denied' } as const) : grant;
    const promised = await this.configurationFor(request, authorised);
    const configuration = this.signer.forWallet(promised, token.grant);
    return concerning({ configuration: configuration.id }, () => this.proven(request, token, grant, configuration));
  }

  private async proven(
    request: CredentialRequest,
    token: AccessToken,
    grant: Grant,
    configuration: IssuableConfiguration,
  ): Promise<InGrant> {
    askOthersFor(`grant ${token.grant.hash.toString('base64url')}`);
    const { holders, attestedBy, nonce } = await this.proofs.verify(request, configuration, token, grant.now);
    const index = grant.credentials.findIndex(({ configurationId }) => configurationId === configuration.id);
    const credentialId = await this.granted.credentialOf(grant, index, configuration);
    const sharesNonce = grant.credentials.length > 1;
    const submittableUntil = this.granted.submittableUntil(grant, token);
    const { keyId: signingKeyId } = this.signer.identityFor(configuration);
    const { grant: name } = token;
    const asked = { grant: name, configuration, signingKeyId, request, holders, ...(attestedBy && { attestedBy }) };
    const asking = { ...asked, nonce, sharesNonce, submittableUntil };
    const recorded =
      credentialId === undefined
        ? await this.records.recordRequest(grant, asking)
        : await this.records.recordIssue(credentialId, asking);
    return { grant, now: grant.now, index, configuration, recorded };
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
    return { grant, now: grant.now, index, configuration, recorded };
  }

  /** What the token covers is read from the store. */
  private async configurationFor(
    { named }: CredentialRequest,
    grant: CredentialAuthorisation,
  ): Promise<IssuableConfiguration> {
    const promised: Promised[] = [];
    for (const configurationId of grant.configurationIds) {
      const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
      promised.push({ configurationId, found });
    }
    return selectPromised(named, grant, promised, await this.queries.execute(new ListCredentialConfigurations()));
  }
}
