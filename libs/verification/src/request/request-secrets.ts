import { refuseNewer, shapeVersions, withVersion } from '@app/event-store';
import { Authenticator, hashOfSecret, PublicHandles } from '@app/keys';
import type { LinkVariant } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

/** Bytes. Conformance tools measure the entropy of what wallets see by its characters. */
const length = 32;

/** The random values around an authorization request; none of them can be read from the database. */
@Injectable()
export class RequestSecrets {
  readonly handles: PublicHandles;

  constructor(private readonly authenticator: Authenticator) {
    this.handles = new PublicHandles(authenticator, { kind: 'presentation-handle', hashed: 'text' });
  }

  /** A nonce in URL-safe characters (OpenID4VP 1.0 §5.2). */
  newNonce(): string {
    return randomBytes(length).toString('base64url');
  }

  newResponseCode(): string {
    return withVersion(shapeVersions['response-code'], randomBytes(length).toString('base64url'));
  }

  /** Proves that a browser is the one that had the page open; it is the value of a cookie. */
  newBrowserSecret(): string {
    return withVersion(shapeVersions.browser, randomBytes(length).toString('base64url'));
  }

  /** The session of one request in the browser that has this secret; whoever learns it cannot tell the secret. */
  sessionOf({ handleSalt }: { readonly handleSalt: string }, browserSecret: string): string {
    return this.authenticator.macOfSalt('presentation-session', handleSalt, browserSecret).toString('base64url');
  }

  /** What stands for the request in the addresses that a wallet gets: its handle, with the session that the link was made for. */
  addressedAs(request: { readonly handleSalt: string; readonly session?: string }): string {
    const handle = this.handles.textOf(request);
    return request.session === undefined ? handle : `${handle}.${request.session}`;
  }

  /** What is kept of a response code. Throws `NewerVersionError`. */
  hashOfResponseCode(code: string): string {
    refuseNewer('response-code', code, shapeVersions['response-code']);
    return hashOfSecret(code).toString('base64url');
  }

  /** The `state` that a wallet gets with a variant and sends back; another one for each variant. */
  wireStateOf({ handleSalt }: { readonly handleSalt: string }, variant: LinkVariant): string {
    return this.authenticator.macOfSalt('presentation-state', handleSalt, variant).toString('base64url');
  }
}
