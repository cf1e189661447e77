import type { VerifiedKeyProof } from '@app/credentials';
import { AlreadyConsumedError, EventStore, type Loaded, Repository, SingleUse } from '@app/event-store';
import type { GrantName } from '@app/grants';
import { hashOfSecret, Sealer } from '@app/keys';
import { type CredentialRequest, proofRefusal } from '@app/openid4vc';
import { type ListSigner, type StatusEntries, TakeStatusEntries } from '@app/status';
import { erasureAfterIssue, isBuildable, type IssuableConfiguration } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Credential, CredentialEvent, CREDENTIALS, issueCredential, withStatusList } from './credential';
import { CredentialDenied } from './credential-denied';
import { type CredentialContent, contentOf, holderDidIn } from './sealed-content';

interface IssueTerms {
  readonly configuration: IssuableConfiguration;
  /** A grant of several credentials: its nonce serves once for each. */
  readonly sharedNonceOf?: GrantName;
}

interface IssueRecord {
  readonly credential: Credential;
  readonly content: CredentialContent;
  readonly denied: CredentialDenied | undefined;
}

/** What the event store learns while a wallet fetches a credential. */
@Injectable()
export class CredentialRecords {
  constructor(
    private readonly store: EventStore,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly sealer: Sealer,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Runs the work as one unit, which `recordIssue` is to be part of.
   * @throws OAuthError for a nonce that was used before
   */
  async decideOn<T>(request: CredentialRequest, work: () => Promise<T>): Promise<T> {
    const attempt = () => this.store.transact(work);
    // The request for another credential of the grant may have been the first to use the nonce, a moment ago.
    const again = (error: unknown) => {
      if (error instanceof AlreadyConsumedError) return attempt();
      throw error;
    };
    return attempt()
      .catch(again)
      .catch((error: unknown) => {
        if (!(error instanceof AlreadyConsumedError)) throw error;
        throw proofRefusal(request, 'nonce', 'The nonce of the key proof has been used before.');
      });
  }

  /**
   * Records the first issue and uses the nonce up, before anything is signed: no credential leaves without its event. A
   * request with other keys than the first one's uses its nonce up, too, so that a used nonce is always refused as such;
   * it is `denied` then. Throws `CredentialDenied`.
   */
  async recordIssue(
    credentialId: string,
    proofs: readonly VerifiedKeyProof[],
    nonce: SingleUse,
    { configuration, sharedNonceOf }: IssueTerms,
  ): Promise<IssueRecord> {
    const configurationId = configuration.id;
    const decide = async ({ state, now, dataKey }: Loaded<Credential>) => {
      const content = await contentOf(this.sealer, this.credentials, { state, dataKey });
      if (!state || !content) throw new CredentialDenied([{ configurationId, reason: 'credential-erased' }]);
      const { events, refusal } = issueCredential(state, {
        holders: proofs.map(({ thumbprint, holder }) => ({ thumbprint, did: holder.did })),
        holderDid: holderDidIn(content, configuration),
        eraseAt: state.retention && erasureAfterIssue(state.retention, now),
        now,
      });
      const denied = refusal && new CredentialDenied([{ configurationId, reason: `credential-${refusal}` }]);
      if (denied && refusal !== 'other-keys') throw denied;
      // A newer version prepared it in a data model that would come out wrong here.
      if (!('signed' in content || isBuildable(configuration))) {
        throw new CredentialDenied([{ configurationId, reason: 'newer-version' }]);
      }
      // What was signed elsewhere has the status that its signer gave it.
      const isListed = configuration.revocable && events.length > 0 && !('signed' in content);
      const { issuerIdentifier: identifier, signingAlgorithm: algorithm } = configuration;
      const recorded = isListed
        ? withStatusList(events, await this.entries({ identifier, algorithm }, proofs))
        : events;
      const consume = sharedNonceOf ? await this.usesOfShared(nonce, sharedNonceOf, configurationId) : [nonce];
      return { events: recorded, consume, result: { content, denied } };
    };
    const { state: credential, result } = await this.credentials.update(credentialId, decide);
    if (!credential) throw new Error('a credential that was issued is there');
    return { credential, ...result };
  }

  /** Used up, also when the unit fails: another attempt gets others. */
  private entries(signer: ListSigner, proofs: readonly VerifiedKeyProof[]): Promise<StatusEntries> {
    return this.commands.execute(new TakeStatusEntries(signer, proofs.length));
  }

  /**
   * Widespread wallet libraries send one nonce for all credentials of a grant. It serves once for each of them, under
   * the grant that used it first: its use is noted with the hash of that grant's name.
   */
  private async usesOfShared(nonce: SingleUse, sharedBy: GrantName, configurationId: string): Promise<SingleUse[]> {
    const note = hashOfSecret(sharedBy.hash).toString('base64url');
    const hash = hashOfSecret(Buffer.concat([nonce.hash, Buffer.from(configurationId)]));
    const forConfiguration = { kind: 'c_nonce-of-configuration', hash, expiresAt: nonce.expiresAt };
    const isFirst = (await this.store.noteOf(nonce.kind, nonce.hash)) !== note;
    return isFirst ? [{ ...nonce, note }, forConfiguration] : [forConfiguration];
  }
}
