import { checkSignature, findKeyOf, type IssuedCredential } from '@app/credentials';
import { EventStore } from '@app/event-store';
import { IssuerDirectory } from '@app/identity';
import { type PublicJwk } from '@app/primitives/jose';
import { Injectable } from '@nestjs/common';
import type { CheckedSignature } from '../credential/credential';
import type { KeySearch } from './key-search';
import { malformedSigned } from './signed-credential';

/** Signatures of credentials that were signed elsewhere. */
@Injectable()
export class IssuerSignatures {
  constructor(
    private readonly issuers: IssuerDirectory,
    private readonly store: EventStore,
  ) {}

  /** Verifies one when the key of its issuer can be found in time. Throws `invalid-signed-credential-format`. */
  async check(credential: IssuedCredential, search: KeySearch<PublicJwk>): Promise<CheckedSignature> {
    const { issuer = '', jws } = credential;
    const look = () => findKeyOf(credential, this.issuers, this.store.clock());
    // These DIDs contain their keys: nothing is fetched.
    const isAtHand = /^did:(jwk|key):/.test(issuer);
    const key = await (isAtHand ? look() : search.find(JSON.stringify([issuer, jws.header['kid']]), look));
    const outcome = key === undefined ? 'not-checked' : checkSignature(credential, key);
    if (outcome !== 'invalid') return outcome;
    throw malformedSigned(
      'is not what its issuer signed',
      'the signature does not verify with the key that its issuer publishes',
    );
  }
}
