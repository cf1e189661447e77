import { perTenant } from '@app/primitives/context';
import { WALLET_URLS } from '@app/identity';
import { KeyRing, type PublishedKey } from '@app/keys';
import { renderDidDocument, renderJwks, renderJwtVcIssuerMetadata, type WalletUrls } from '@app/openid4vc';
import { type HttpReply, PublicEndpoint, renderedJson } from '@app/http';
import { Controller, Get, Inject } from '@nestjs/common';

const publicDocument = { 'Cache-Control': 'public, max-age=60' };

/** The public keys of this service, in the three places where verifiers look for them. */
@Controller()
@PublicEndpoint('wallets')
export class PublishedKeysEndpoint {
  private readonly rendered = perTenant(this.render(), () => this.render());

  constructor(
    private readonly keys: KeyRing,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  private render() {
    return {
      jwks: renderedOnce(renderJwks),
      jwtVcIssuer: renderedOnce((keys) => renderJwtVcIssuerMetadata(this.urls, keys)),
      didDocument: renderedOnce((keys) => renderDidDocument(this.urls.did, keys)),
    };
  }

  @Get('jwks.json')
  jwks(): HttpReply {
    return renderedJson(this.rendered.jwks(this.keys.publicKeys()), publicDocument);
  }

  @Get('.well-known/jwt-vc-issuer/openid4vci')
  jwtVcIssuer(): HttpReply {
    return renderedJson(this.rendered.jwtVcIssuer(this.keys.publicKeys()), publicDocument);
  }

  // did:web of a host lives under /.well-known, that of a host with a path below the path.
  @Get(['.well-known/did.json', 'did.json'])
  didDocument(): HttpReply {
    return renderedJson(this.rendered.didDocument(this.keys.publicKeys()), {
      ...publicDocument,
      'Content-Type': 'application/did+json',
    });
  }
}

type Keys = readonly PublishedKey[];

/** As JSON, once for each list. */
function renderedOnce(render: (keys: Keys) => object): (keys: Keys) => string {
  let latest: { readonly of: Keys; readonly json: string } | undefined;
  return (keys) => {
    if (latest?.of !== keys) latest = { of: keys, json: JSON.stringify(render(keys)) };
    return latest.json;
  };
}
