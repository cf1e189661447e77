import { didJwk, type SignJws } from '@app/credentials';
import { WALLET_URLS } from '@app/http';
import { KeyRing } from '@app/keys';
import { type CredentialConfiguration, didKeyId, type WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';

export interface CredentialSigner {
  /** The value of `iss`. */
  readonly issuer: string;
  readonly sign: SignJws;
}

/** In whose name credentials are signed, and with which of our keys. */
@Injectable()
export class IssuerIdentity {
  constructor(
    private readonly keys: KeyRing,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  signerFor({
    format,
    signingAlgorithm,
  }: Pick<CredentialConfiguration, 'format' | 'signingAlgorithm'>): CredentialSigner {
    const key = this.keys.activeKey(signingAlgorithm);
    if (format === 'dc+sd-jwt') {
      // SD-JWT VC §3.5: an https issuer publishes its keys under /.well-known/jwt-vc-issuer.
      return { issuer: this.urls.issuer, sign: (header, payload) => key.signJwt(header, payload) };
    }
    const did = this.urls.issuer.startsWith('https:')
      ? { issuer: this.urls.did, kid: didKeyId(this.urls.did, key.kid) }
      : // A did:web document is fetched over https only; without it (development) the key is its own identifier.
        { issuer: didJwk(key.publicJwk), kid: `${didJwk(key.publicJwk)}#0` };
    return { issuer: did.issuer, sign: (header, payload) => key.signJwt({ ...header, kid: did.kid }, payload) };
  }
}
