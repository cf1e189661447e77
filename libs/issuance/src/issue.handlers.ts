import type { VerifiedKeyProof } from '@app/credentials';
import { ServiceIdentity } from '@app/identity';
import { FindGrant, type Grant } from '@app/offers';
import {
  type CredentialRequest,
  type NotificationRequest,
  OAuthError,
  proofRefusal,
  sdJwtTyp,
  selectConfiguration,
} from '@app/openid4vc';
import {
  FindCredentialConfiguration,
  isFormatKnown,
  type IssuableConfiguration,
  ListCredentialConfigurations,
} from '@app/templates';
import { Command, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { buildCredential, type Issue, lifeOf, type UnsignedContent } from './build-credential';
import { CredentialRecords } from './credential-records';
import { ProofVerifier } from './proof-verifier';
import { type AccessToken, WalletTokens } from './wallet-tokens';

export interface Issued {
  readonly credentials: readonly [string, ...string[]];
  readonly notificationId: string;
  /** The database's clock. */
  readonly now: Date;
}

/** Issues one credential of a grant, once for each key proof. Throws `OAuthError`. */
export class IssueCredential extends Command<Issued> {
  constructor(
    readonly token: AccessToken,
    readonly request: CredentialRequest,
  ) {
    super();
  }
}

/** Records what a wallet says became of a credential. Throws `OAuthError`. */
export class NotifyIssuer extends Command<void> {
  constructor(
    readonly token: AccessToken,
    readonly notification: NotificationRequest,
  ) {
    super();
  }
}

@CommandHandler(IssueCredential)
export class IssueCredentialHandler implements ICommandHandler<IssueCredential> {
  constructor(
    private readonly queries: QueryBus,
    private readonly records: CredentialRecords,
    private readonly identity: ServiceIdentity,
    private readonly tokens: WalletTokens,
    private readonly proofs: ProofVerifier,
  ) {}

  async execute({ token, request }: IssueCredential): Promise<Issued> {
    const grant = await grantOf(this.queries, token);
    const configuration = await this.configurationFor(request, grant);
    const verified = await this.proofs.verify(request, grant.now);
    const nonce = this.tokens.readNonce(verified.nonce, token.handle, grant.now);
    if (!nonce) throw proofRefusal(request, 'nonce', 'The nonce of the key proof is unknown, expired or not yours.');
    const index = grant.credentials.findIndex(({ configurationId }) => configurationId === configuration.id);
    const credentialId = await this.credentialIdOf(grant, index, configuration);
    if (credentialId === undefined) {
      throw new OAuthError('credential_request_denied', 'The issuer has not handed in the data of this credential.');
    }
    const record = await this.records.recordIssue(credentialId, verified.proofs, nonce, { request, configuration });
    const { content, credential } = record;
    const credentials =
      'signed' in content
        ? [content.signed]
        : this.sign(content, configuration, verified.proofs, {
            typ: sdJwtTyp(request.endpoint, request.named),
            ...lifeOf(credential.expiresAt, grant.now, verified.proofs.length > 1),
          });
    const [first, ...others] = credentials;
    if (first === undefined) throw new Error('verified proofs are never empty');
    const notificationId = this.tokens.issueNotificationId(index, token.handle, grant.now);
    return { credentials: [first, ...others], notificationId, now: grant.now };
  }

  private async credentialIdOf(
    { offerId, credentials, isClaim }: Grant,
    index: number,
    configuration: IssuableConfiguration,
  ): Promise<string | undefined> {
    const { credentialId } = credentials[index] ?? {};
    return credentialId ?? (isClaim ? this.records.prepareClaim(offerId, configuration) : undefined);
  }

  /** One credential for each key. */
  private sign(
    content: UnsignedContent,
    configuration: IssuableConfiguration,
    proofs: readonly VerifiedKeyProof[],
    terms: Pick<Issue, 'typ' | 'issuedAt' | 'expiresAt'>,
  ): string[] {
    const { format, signingAlgorithm } = configuration;
    const { id: issuer, sign } =
      format === 'dc+sd-jwt' ? this.identity.asIssuer(signingAlgorithm) : this.identity.asDid(signingAlgorithm);
    return proofs.map(({ holder }) => buildCredential(content, configuration, { ...terms, issuer, sign, holder }));
  }

  /** What the token covers is read from the store; the list of the others only tells unknown from uncovered. */
  private async configurationFor(request: CredentialRequest, grant: Grant): Promise<IssuableConfiguration> {
    const covered: IssuableConfiguration[] = [];
    for (const id of grant.configurationIds) {
      const found = await this.queries.execute(new FindCredentialConfiguration(id));
      if (found && isFormatKnown(found)) covered.push(found);
    }
    // The template was archived after the offer was made, or a newer version made it: every generation of wallet hears the same.
    if (covered.length === 0) throw noLongerIssued();
    const others = await this.queries.execute(new ListCredentialConfigurations());
    const selected = selectConfiguration(request.named, grant, [...covered, ...others.filter(isFormatKnown)]);
    const configuration = covered.find(({ id }) => id === selected.id);
    if (!configuration) throw noLongerIssued();
    return configuration;
  }
}

@CommandHandler(NotifyIssuer)
export class NotifyIssuerHandler implements ICommandHandler<NotifyIssuer> {
  constructor(
    private readonly queries: QueryBus,
    private readonly records: CredentialRecords,
    private readonly tokens: WalletTokens,
  ) {}

  async execute({ token, notification }: NotifyIssuer): Promise<void> {
    const grant = await grantOf(this.queries, token);
    const index = this.tokens.readNotificationId(notification.notificationId, token.handle, grant.now);
    const credentialId = index === undefined ? undefined : grant.credentials[index]?.credentialId;
    if (credentialId === undefined) {
      throw new OAuthError(
        'invalid_notification_id',
        'The notification_id is unknown or belongs to another access token.',
      );
    }
    await this.records.recordNotification(credentialId, notification.event);
  }
}

async function grantOf(queries: QueryBus, { handle, expiresAt }: AccessToken): Promise<Grant> {
  const grant = await queries.execute(new FindGrant(handle));
  if (!grant || grant.now >= expiresAt) throw new OAuthError('invalid_token', 'The access token has expired.');
  return grant;
}

function noLongerIssued(): OAuthError {
  return new OAuthError('credential_request_denied', 'This credential is no longer issued.');
}
