import { credentialFormat, type IssueTerms, type OwnStatusReference, type UnsignedContent } from '@app/credentials';
import type { GrantName } from '@app/offers';
import { ServiceIdentity, type SigningIdentity, WALLET_URLS } from '@app/identity';
import { isFormatOfHaip, type WalletUrls } from '@app/openid4vc';
import type { IssuableConfiguration } from '@app/templates';
import { wholeSeconds } from '@app/primitives/time';
import { allThere, attempt } from '@app/primitives/awaitable';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Credential } from '../credential/credential';
import { copyEntriesOf } from '../credential/credential-copies';
import type { ProvenHolder } from '../credential/credential-request';

/** A credential whose issue is recorded. */
export interface RecordedCredential {
  readonly credential: Credential;
  readonly content: UnsignedContent;
  readonly configuration: IssuableConfiguration;
}

/** In whose name credentials are signed, and what signs those that are documents. */
export type IssuingIdentity = SigningIdentity & Pick<IssueTerms, 'documentSigner'>;

export type SignedTerms = Pick<IssueTerms, 'formatName' | 'issuedAt' | 'expiresAt'>;

/** Builds and signs credentials in the name that their configuration has chosen. */
@Injectable()
export class CredentialSigner {
  private readonly logger = new Logger('Credentials');
  /** Keys whose certificate was seen to end before a credential: reported once by each process. */
  private readonly outlived = new Set<string>();

  constructor(
    private readonly identity: ServiceIdentity,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /**
   * The configuration as a wallet gets it. Wallets that come by authorization code follow HAIP 1.0, which believes issuers by
   * their certificate alone (§6.1.1): where neither template nor file has chosen a name, it is the one that a certificate
   * vouches for.
   */
  forWallet(configuration: IssuableConfiguration, { kind }: GrantName): IssuableConfiguration {
    const { isIssuerDefault, format, signingAlgorithm } = configuration;
    if (!isIssuerDefault || kind !== 'authorization_code' || !isFormatOfHaip(format)) return configuration;
    return this.identity.certified(signingAlgorithm, 'credentials')
      ? { ...configuration, issuerIdentifier: 'https' }
      : configuration;
  }

  /** In whose name, and with which key, credentials of a configuration are signed now. Throws `document-certificate-missing`. */
  identityFor({ format, issuerIdentifier, signingAlgorithm }: IssuableConfiguration): IssuingIdentity {
    const identity = this.identity.as(issuerIdentifier, signingAlgorithm, 'credentials');
    if (credentialFormat(format).signedAs === 'jws') return identity;
    const documentSigner = this.identity.documentSigner(signingAlgorithm);
    const { id, sign } = identity;
    return { id, sign, keyId: documentSigner.keyId, documentSigner };
  }

  /** One credential for each key. */
  sign(
    { credential, content, configuration }: RecordedCredential,
    holders: readonly ProvenHolder[],
    terms: SignedTerms,
    identity: IssuingIdentity,
  ): Promise<string[]> {
    const { id: issuer, sign, documentSigner } = identity;
    const signer = { issuer, sign, ...(documentSigner && { documentSigner }) };
    this.noteOutlived(identity, terms);
    const format = credentialFormat(configuration.format);
    const keys = holders.map(({ thumbprint }) => thumbprint);
    const built = holders.map(({ holder, thumbprint }) =>
      attempt(() => {
        const status = this.statusOf(credential, keys, thumbprint);
        return format.build(content, configuration, { ...terms, ...signer, holder, ...(status && { status }) });
      }),
    );
    return Promise.resolve(allThere(built));
  }

  /** Verifiers check the certificate when a credential is presented, not when it was signed. */
  private noteOutlived({ keyId, certifiedUntil }: IssuingIdentity, { expiresAt }: SignedTerms): void {
    if (certifiedUntil === undefined || this.outlived.has(keyId)) return;
    if (expiresAt !== undefined && expiresAt <= certifiedUntil) return;
    this.outlived.add(keyId);
    const notAfter = wholeSeconds(certifiedUntil);
    this.logger.warn({ event: 'certificates.outlived', keyId, notAfter }, 'Credentials outlive their certificate');
  }

  /** The entry of the copy for a key: the same one, however often it is issued. */
  private statusOf(credential: Credential, keys: readonly string[], key: string): OwnStatusReference | undefined {
    const entry = copyEntriesOf(credential, keys)?.(key);
    if (!entry) return undefined;
    const { listId, idx } = entry;
    if (idx === undefined) throw new Error('a key of the credential without an entry in the status list');
    return {
      uri: this.urls.statusList(listId),
      idx,
      bitstrings: {
        revocation: this.urls.bitstringStatusList(listId, 'revocation'),
        suspension: this.urls.bitstringStatusList(listId, 'suspension'),
      },
    };
  }
}
