import { WALLET_URLS } from '@app/identity';
import { KeyRing } from '@app/keys';
import { renderDidDocument, renderJwks, renderJwtVcIssuerMetadata, type WalletUrls } from '@app/openid4vc';
import { HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, Inject } from '@nestjs/common';

const publicDocument = { 'Cache-Control': 'public, max-age=60' };

/** The public keys of this service, in the three places where verifiers look for them. */
@Controller()
@PublicEndpoint('wallets')
export class PublishedKeysEndpoint {
  constructor(
    private readonly keys: KeyRing,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  @Get('jwks.json')
  jwks(): HttpReply {
    return new HttpReply(200, renderJwks(this.keys.publicKeys()), publicDocument);
  }

  @Get('.well-known/jwt-vc-issuer/openid4vci')
  jwtVcIssuer(): HttpReply {
    return new HttpReply(200, renderJwtVcIssuerMetadata(this.urls, this.keys.publicKeys()), publicDocument);
  }

  // did:web of a host lives under /.well-known, that of a host with a path below the path.
  @Get(['.well-known/did.json', 'did.json'])
  didDocument(): HttpReply {
    return new HttpReply(200, renderDidDocument(this.urls.did, this.keys.publicKeys()), {
      ...publicDocument,
      'Content-Type': 'application/did+json',
    });
  }
}
