import { Settings } from '@app/config';
import { Metrics } from '@app/metrics';
import { RateLimiter } from '@app/rate-limits';
import { actAs, clientAddressOf, currentRequest, type Principal, type Scope, scopes } from '@app/web';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AccessTokens, type TokenVerdict } from './access-tokens';
import { localClient } from './client';
import { needsNoKeyHere } from './development-key';
import { KnownKeys, type KeyVerdict } from './known-keys';
import { isLocalCaller } from './local-caller';
import { ProvenCredentials } from './proven-credentials';
import { presentedCredential } from './presented-credential';
import { credentialMissing, credentialRefused, tooManyRefused } from './refusals';

/** A smaller body of a refused request is read and forgotten, so that the connection stays usable. */
const worthReading = 64 * 1024;

const local: Principal = { id: 'local', client: localClient, scopes: new Set(scopes) };

/** Finds out who calls the management API, before anything of the body is read. */
@Injectable()
export class Authentication {
  private readonly logger = new Logger('Access');
  private readonly proven = new ProvenCredentials();
  private readonly publicHost: string;
  /** Whether this machine itself needs no key. */
  private readonly isOpenHere: boolean;

  constructor(
    { management, profile, applicationUrl }: Settings,
    private readonly keys: KnownKeys,
    @Inject(AccessTokens) private readonly tokens: AccessTokens | undefined,
    private readonly limiter: RateLimiter,
    private readonly metrics: Metrics,
  ) {
    this.publicHost = new URL(applicationUrl).hostname;
    this.isOpenHere = needsNoKeyHere({ management, profile });
  }

  /** Says who sent the request, or rejects with `unauthorized`, `rate-limited`, or `unavailable` when that cannot be determined. */
  async authenticate(request: IncomingMessage): Promise<void> {
    const principal = await this.callerOf(request);
    actAs(principal, (scope) => this.isStillAllowed(principal, request, scope));
  }

  private async isStillAllowed(principal: Principal, request: IncomingMessage, scope: Scope): Promise<boolean> {
    const presented = presentedCredential(request);
    if (presented.kind !== 'credential') return principal === local;
    const verdict = await this.verdictOn(presented.text);
    return verdict.accepted && verdict.principal.id === principal.id && verdict.principal.scopes.has(scope);
  }

  private async callerOf(request: IncomingMessage): Promise<Principal> {
    const presented = presentedCredential(request);
    switch (presented.kind) {
      case 'credential':
        return this.authenticateThrottled(presented.text, request);
      case 'unusable':
        throw this.refusal(request, presented.reason);
      case 'none':
        if (this.isOpenHere && isLocalCaller(request, this.publicHost)) return local;
        throw this.absence(request);
    }
  }

  /** Too many wrong keys from an address, and only those that were right before are checked. */
  private async authenticateThrottled(text: string, request: IncomingMessage): Promise<Principal> {
    // A portal has a new token every few minutes, which was never accepted before; and a signature cannot be guessed.
    if (this.tokens && isJwt(text)) return this.ownerOf(text, request);
    if (!this.proven.has(text)) this.refuseTooMany(request);
    const owner = await this.ownerOf(text, request);
    this.proven.add(text);
    return owner;
  }

  private refuseTooMany(request: IncomingMessage): void {
    const seconds = this.limiter.secondsToWait('failed-access', clientAddressOf(request));
    if (seconds === undefined) return;
    this.note('rate-limited');
    throw tooManyRefused(seconds, closing(request));
  }

  private async ownerOf(text: string, request: IncomingMessage): Promise<Principal> {
    const verdict = await this.verdictOn(text);
    if (verdict.accepted) return verdict.principal;
    throw this.refusal(request, verdict.reason, 'keyId' in verdict ? verdict.keyId : undefined);
  }

  private async verdictOn(text: string): Promise<KeyVerdict | TokenVerdict> {
    const owner = this.keys.ownerOf(text);
    if (owner) return { accepted: true, principal: owner };
    return this.tokens && isJwt(text) ? this.tokens.verify(text) : this.keys.verify(text);
  }

  private absence(request: IncomingMessage): Error {
    this.note('no-credential');
    const hint = this.isOpenHere ? 'In development, only direct requests from localhost are exempt.' : '';
    return credentialMissing(`${hint} \`sealwright api-keys create\` makes one.`.trim(), closing(request));
  }

  private refusal(request: IncomingMessage, reason: string, keyId?: string): Error {
    this.note(reason, keyId);
    if (reason === 'key-altered') {
      this.metrics.rowAltered('api_keys');
      this.logger.error({ event: 'access.key-altered', keyId });
    }
    void this.limiter.count('failed-access', clientAddressOf(request));
    return credentialRefused(closing(request));
  }

  private note(reason: string, keyId?: string): void {
    this.metrics.accessRefused(reason);
    const { requestId } = currentRequest() ?? {};
    this.logger.warn({ event: 'access.refused', reason, ...(keyId !== undefined && { keyId }), requestId });
  }
}

function isJwt(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** Closes the connection of an unauthenticated caller whose body is large, or of unknown size, instead of reading it. */
function closing({ headers }: IncomingMessage): Record<string, string> {
  const isSmall =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? '0') <= worthReading;
  return isSmall ? {} : { Connection: 'close' };
}
