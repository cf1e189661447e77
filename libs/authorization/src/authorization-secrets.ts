import { Authenticator, hashOfSecret, PublicHandles, SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';

const codePurpose = 'authorization-code';
const hashLength = 32;
/** Bytes of a MAC that make any two codes differ. */
const serialLength = 10;
const refreshPurpose = 'refresh-token';
/** Milliseconds; see `AuthorizationSettings.refreshTokenLifetime`. The last access token ends a little later. */
const longestRefresh = 367 * 24 * 60 * 60 * 1000;

export interface ReadAuthorizationCode {
  /** The hash of the authorization's handle. */
  readonly handleHash: Buffer;
  /** base64url of its SHA-256. */
  readonly codeHash: string;
}

/** The values of an authorization that its client and its person carry; none is stored. */
@Injectable()
export class AuthorizationSecrets {
  /** Of requests, from their push to their code. */
  readonly handles: PublicHandles;
  /** Of what a redeemed code has granted: tokens name it by this hash. */
  readonly grants: PublicHandles;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly tokens: SealedTokens,
  ) {
    this.handles = new PublicHandles(authenticator, { kind: 'authorization-handle', hashed: 'bytes' });
    this.grants = new PublicHandles(authenticator, { kind: 'authorization-grant', hashed: 'bytes' });
  }

  /**
   * How a key is named in the stream: by another name in each authorization, so that what is left of a person's authorizations
   * does not show that they have the same wallet. @param thumbprint RFC 7638
   */
  nameOfKey({ handleSalt }: { readonly handleSalt: string }, thumbprint: string | undefined): string | undefined {
    if (thumbprint === undefined) return undefined;
    return this.authenticator.macOfSalt('authorization-key', handleSalt, thumbprint).toString('base64url');
  }

  /** The same text each time, as long as the root key stays. */
  codeUntil(authorization: { readonly handleSalt: string }, expiresAt: Date): { code: string; codeHash: string } {
    const { handleSalt } = authorization;
    const mac = this.authenticator.macOfSalt(codePurpose, handleSalt, expiresAt.toISOString());
    const body = Buffer.concat([this.handles.hashOf(authorization), mac.subarray(0, serialLength)]);
    const code = this.tokens.issue(codePurpose, body, expiresAt);
    return { code, codeHash: hashOf(code) };
  }

  /** `undefined` for what is no code of ours; its expiry is left to the aggregate, who knows the clock of the database. */
  readCode(code: string): ReadAuthorizationCode | undefined {
    const read = this.tokens.read(codePurpose, code, hashLength + serialLength, new Date(0));
    if (typeof read === 'string') return undefined;
    return { handleHash: read.body.subarray(0, hashLength), codeHash: hashOf(code) };
  }

  /** The same text each time. @param grantHash the hash of the authorization's grant handle */
  refreshToken(grantHash: Buffer, expiresAt: Date): string {
    return this.tokens.issue(refreshPurpose, grantHash, expiresAt);
  }

  /** The hash of the authorization's grant handle; `undefined` for what is no refresh token of ours. The aggregate knows its end. */
  readRefreshToken(token: string): Buffer | undefined {
    const read = this.tokens.read(refreshPurpose, token, hashLength, new Date(0), undefined, longestRefresh);
    return typeof read === 'string' ? undefined : read.body;
  }
}

function hashOf(code: string): string {
  return hashOfSecret(code).toString('base64url');
}
