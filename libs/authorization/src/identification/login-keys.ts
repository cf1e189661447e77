import { EncryptionKeys, KeyRing } from '@app/keys';
import { renderJwks } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import type { webcrypto } from 'node:crypto';

/** By which the service authenticates at the provider. */
const signedBy = 'ES256';

/** A key of this service for the library, of which the private half cannot be exported. */
export interface LoginKey {
  /** RFC 7638 thumbprint */
  readonly kid: string;
  readonly key: webcrypto.CryptoKey;
}

export async function signingKeyOf(ring: Pick<KeyRing, 'localKey' | 'cryptoKeys'>): Promise<LoginKey> {
  const { kid } = ring.localKey(signedBy);
  const { privateKey } = await ring.cryptoKeys(signedBy);
  return { kid, key: privateKey };
}

/** The keys of this service that the OpenID provider meets: one signs assertions, the others decrypt what it answers. */
@Injectable()
export class LoginKeys {
  constructor(
    private readonly ring: KeyRing,
    private readonly encryption: EncryptionKeys,
  ) {}

  signing(): Promise<LoginKey> {
    return signingKeyOf(this.ring);
  }

  decrypting(): Promise<readonly LoginKey[]> {
    return this.encryption.cryptoKeys();
  }

  /** RFC 7517 §5, with the public halves. */
  published(): { readonly keys: readonly object[] } {
    const signing = this.ring.publicKeys().filter(({ algorithm }) => algorithm === signedBy);
    const { kid, publicJwk } = this.encryption.current();
    const encryption = { ...publicJwk, kid, alg: 'ECDH-ES', use: 'enc' };
    return { keys: [...renderJwks(signing).keys, encryption] };
  }
}
