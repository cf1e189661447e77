import type { VerifiedKeyProof } from '@app/credentials';
import { AlreadyConsumedError, EventStore, Repository, SingleUse } from '@app/event-store';
import { Sealer } from '@app/keys';
import { type CredentialRequest, type NotificationRequest, OAuthError, proofRefusal } from '@app/openid4vc';
import { constantClaims, isBuildable, type IssuableConfiguration } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CredentialContent } from './build-credential';
import { Credential, CredentialEvent, CREDENTIALS, issueCredential, notifyCredential } from './credential';
import type { PrepareCredentialBody } from './credentials.dto';
import { PrepareCredential } from './credentials.handlers';
import { openContent } from './sealed-content';

/** What the event store learns while a wallet fetches a credential. */
@Injectable()
export class CredentialRecords {
  constructor(
    private readonly store: EventStore,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly sealer: Sealer,
    private readonly commands: CommandBus,
  ) {}

  /** The credential of a public offer's claim, with the claims that everybody gets. Answers its id. */
  async prepareClaim(offerId: string, { id, templateId, schema }: IssuableConfiguration): Promise<string | undefined> {
    const claims = schema && constantClaims(schema);
    // The template was changed since the offer was made.
    if (!claims) return undefined;
    const body: PrepareCredentialBody = {
      offerId,
      credential: { credentialSubject: claims },
      ...(templateId === undefined ? { credentialConfigurationId: id } : { templateId }),
    };
    return (await this.commands.execute(new PrepareCredential(body))).credentialId;
  }

  /**
   * Records an issue and uses the nonce up, before anything is signed: no credential leaves without its event.
   * Throws `OAuthError`.
   */
  async recordIssue(
    credentialId: string,
    proofs: readonly VerifiedKeyProof[],
    nonce: SingleUse,
    { request, configuration }: { readonly request: CredentialRequest; readonly configuration: IssuableConfiguration },
  ): Promise<{ readonly credential: Credential; readonly content: CredentialContent }> {
    try {
      return await this.store.transact(async () => {
        const { state, version, now, dataKey } = await this.credentials.load(credentialId);
        if (!state || !dataKey) throw denied('The data of this credential has been erased.');
        const { events, refusal } = issueCredential(state, { holderKeys: proofs.map((one) => one.thumbprint), now });
        if (refusal === 'expired') throw denied('The credential has expired before it was fetched.');
        if (refusal === 'finished') throw denied('The credential has been fetched already.');
        const content = openContent(this.sealer, state, dataKey);
        // A newer version prepared it in a data model that would come out wrong here.
        if (!('signed' in content || isBuildable(configuration))) throw denied('This credential is no longer issued.');
        await this.credentials.save(credentialId, version, events, { consume: [nonce] });
        return { credential: state, content };
      });
    } catch (error) {
      if (!(error instanceof AlreadyConsumedError)) throw error;
      throw proofRefusal(request, 'nonce', 'The nonce of the key proof has been used before.');
    }
  }

  recordNotification(credentialId: string, event: NotificationRequest['event']): Promise<void> {
    return this.store.transact(async () => {
      const { state, version } = await this.credentials.load(credentialId);
      const events = state ? notifyCredential(state, event) : [];
      if (events.length > 0) await this.credentials.save(credentialId, version, events);
    });
  }
}

function denied(description: string): OAuthError {
  return new OAuthError('credential_request_denied', description);
}
