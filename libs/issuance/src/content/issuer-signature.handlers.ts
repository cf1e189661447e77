import { checkSignature, findKeyOf, type IssuedCredential } from '@app/credentials';
import { EventStore } from '@app/event-store';
import { IssuerDirectory } from '@app/identity';
import { type PublicJwk } from '@app/primitives/jose';
import { IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { CheckedSignature } from '../credential/credential';
import type { KeySearch } from './key-search';
import { malformedSigned } from './signed-credential';

/**
 * Verifies the signature of a credential that was signed elsewhere, when the key of its issuer can be found in time.
 * Throws `invalid-signed-credential-format`.
 */
export class CheckIssuerSignature extends Query<CheckedSignature> {
  constructor(
    readonly credential: IssuedCredential,
    readonly search: KeySearch<PublicJwk>,
  ) {
    super();
  }
}

@QueryHandler(CheckIssuerSignature)
export class CheckIssuerSignatureHandler implements IQueryHandler<CheckIssuerSignature> {
  constructor(
    private readonly issuers: IssuerDirectory,
    private readonly store: EventStore,
  ) {}

  async execute({ credential, search }: CheckIssuerSignature): Promise<CheckedSignature> {
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
