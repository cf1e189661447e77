import type { Grant } from '@app/grants';
import { type CredentialRequest, formatNameFor } from '@app/openid4vc';
import { FindPromisedConfiguration, type IssuableConfiguration, ListCredentialConfigurations } from '@app/templates';
import { askOthersFor } from '@app/web';
import { Command, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { lifeOf } from './credential-life';
import { CredentialDenied } from './credential-denied';
import { CredentialRecords } from './credential-records';
import { CredentialSigner } from './credential-signer';
import { GrantTypes } from './grants/grant-types';
import { type Promised, selectPromised } from './promised-credential';
import { ProofVerifier } from './proof-verifier';
import type { AccessToken } from './wallet-tokens';

export interface Issued {
  readonly credentials: readonly [string, ...string[]];
  /** Place of the credential in the grant. */
  readonly index: number;
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

@CommandHandler(IssueCredential)
export class IssueCredentialHandler implements ICommandHandler<IssueCredential> {
  constructor(
    private readonly queries: QueryBus,
    private readonly grants: GrantTypes,
    private readonly records: CredentialRecords,
    private readonly signer: CredentialSigner,
    private readonly proofs: ProofVerifier,
  ) {}

  async execute(command: IssueCredential): Promise<Issued> {
    try {
      return await this.issued(command);
    } catch (error) {
      if (error instanceof CredentialDenied) await this.grants.recordDenials(command.token.grant, error.denials);
      throw error;
    }
  }

  /** Everything that a request decides is one unit of work; what was recorded is signed then. */
  private async issued({ token, request }: IssueCredential): Promise<Issued> {
    const decided = await this.records.decideOn(request, () => this.decide(token, request));
    const { configuration, grant, index, verified, record } = decided;
    const { content, credential, denied } = record;
    if (denied) throw denied;
    const credentials =
      'signed' in content
        ? [content.signed]
        : this.signer.sign({ credential, content, configuration }, verified.proofs, {
            formatName: formatNameFor(request, configuration.format),
            ...lifeOf(credential.expiresAt, grant.now, verified.proofs.length > 1),
          });
    const [first, ...others] = credentials;
    if (first === undefined) throw new Error('verified proofs are never empty');
    return { credentials: [first, ...others], index, now: grant.now };
  }

  private async decide(token: AccessToken, request: CredentialRequest) {
    const grant = await this.grants.grantOf(token);
    const configuration = await this.configurationFor(request, grant);
    askOthersFor(`grant ${token.grant.hash.toString('base64url')}`);
    const verified = await this.proofs.verify(request, token, grant.now);
    const index = grant.credentials.findIndex(({ configurationId }) => configurationId === configuration.id);
    const credentialId = await this.grants.credentialOf(token.grant, grant, index, configuration);
    const isOneOfSeveral = grant.credentials.length > 1;
    const record = await this.records.recordIssue(credentialId, verified.proofs, verified.nonce, {
      configuration,
      ...(isOneOfSeveral && { sharedNonceOf: token.grant }),
    });
    return { configuration, grant, index, verified, record };
  }

  /** What the token covers is read from the store. */
  private async configurationFor({ named }: CredentialRequest, grant: Grant): Promise<IssuableConfiguration> {
    const promised: Promised[] = [];
    for (const configurationId of grant.configurationIds) {
      const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
      promised.push({ configurationId, found });
    }
    return selectPromised(named, grant, promised, await this.queries.execute(new ListCredentialConfigurations()));
  }
}
