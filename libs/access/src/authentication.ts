import { Settings } from '@app/config';
import { Metrics } from '@app/observability';
import {
  RateLimiter,
  actAs,
  clientAddressOf,
  currentRequest,
  type Principal,
  type Scope,
  scopes,
  scopesOfTenants,
} from '@app/http';
import { attempt, type Awaitable, whenThere } from '@app/primitives/awaitable';
import { currentTenant } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AccessTokens, type TokenVerdict } from './access-tokens';
import { CallerProofs } from './caller-proofs';
import { localClient } from './client';
import { needsNoKeyHere } from './development-key';
import { KnownKeys, type KeyVerdict } from './known-keys';
import { isLocalCaller } from './local-caller';
import { SignedInCallers } from './signed-in-callers';
import { ProvenCredentials } from './proven-credentials';
import { readPresentedCredential, type PresentedText } from './presented-credential';
import { credentialMissing, credentialRefused, severalCredentials, tokenRefused, tooManyRefused } from './refusals';
import { tokenFault, type TokenFault } from './token-fault';

/** A smaller body of a refused request is read and forgotten, so that the connection stays usable. */
const worthReading = 64 * 1024;

/** The answer to a token where none are taken. */
const notTaken = tokenFault(
  'not-taken',
  'this service takes API keys alone (SERVICE__MANAGEMENT__JWKS_URL is not set)',
);

const local: Principal = { id: 'local', client: localClient, scopes: new Set(scopes) };
const localToTenant: Principal = { ...local, scopes: new Set(scopesOfTenants) };

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
    private readonly proofs: CallerProofs,
    private readonly limiter: RateLimiter,
    private readonly metrics: Metrics,
    private readonly sessions: SignedInCallers,
  ) {
    this.publicHost = new URL(applicationUrl).hostname;
    this.isOpenHere = needsNoKeyHere({ management, profile });
  }

  /** Says who sent the request, or rejects with `unauthorized`, `rate-limited`, or `unavailable` when that cannot be determined. */
  authenticate(request: IncomingMessage): Awaitable<void> {
    return whenThere(
      attempt(() => this.callerOf(request)),
      (principal) => {
        actAs(principal, (scope) => this.isStillAllowed(principal, request, scope));
      },
    );
  }

  private async isStillAllowed(principal: Principal, request: IncomingMessage, scope: Scope): Promise<boolean> {
    const presented = readPresentedCredential(request);
    if (principal.person) {
      const still = await this.sessions.in(request)?.callerOf({ headers: request.headers, method: 'GET' });
      return still?.id === principal.id && still.scopes.has(scope);
    }
    if (presented.kind !== 'credential') return principal === local || principal === localToTenant;
    const verdict = await this.verdictOn(presented.text);
    return verdict.accepted && verdict.principal.id === principal.id && verdict.principal.scopes.has(scope);
  }

  private callerOf(request: IncomingMessage): Awaitable<Principal> {
    const presented = readPresentedCredential(request);
    const sessions = this.sessions.in(request);
    if (sessions) {
      if (presented.kind !== 'none') throw severalCredentials(closing(request));
      return sessions.callerOf(request);
    }
    switch (presented.kind) {
      case 'credential':
        return this.authenticateThrottled(presented, request);
      case 'unusable':
        throw this.refusal(request, presented.reason, credentialRefused(closing(request), presented.reason));
      case 'none':
        if (this.isOpenHere && isLocalCaller(request, this.publicHost)) {
          return currentTenant() === undefined ? local : localToTenant;
        }
        throw this.absence(request);
    }
  }

  /** Too many wrong keys from an address, and only those that were right before are checked. */
  private authenticateThrottled(presented: PresentedText, request: IncomingMessage): Awaitable<Principal> {
    const { text } = presented;
    // A portal has a new token every few minutes, which was never accepted before; and a signature cannot be guessed.
    if (this.tokens && isJwt(text)) return this.ownerOf(presented, request);
    if (!this.proven.has(text)) this.refuseTooMany(request);
    return whenThere(this.ownerOf(presented, request), (owner) => {
      this.proven.add(text);
      return owner;
    });
  }

  private refuseTooMany(request: IncomingMessage): void {
    const seconds = this.limiter.secondsToWait('failed-access', clientAddressOf(request));
    if (seconds === undefined) return;
    this.note('rate-limited');
    throw tooManyRefused(seconds, closing(request));
  }

  private ownerOf(presented: PresentedText, request: IncomingMessage): Awaitable<Principal> {
    const { text, scheme } = presented;
    if (scheme === 'DPoP' && !isJwt(text)) {
      throw this.refusal(request, 'key-scheme', credentialRefused(closing(request), 'scheme'));
    }
    return whenThere<KeyVerdict | TokenVerdict, Principal>(this.verdictOn(text), (verdict) => {
      if (!verdict.accepted) {
        if ('fault' in verdict) throw this.tokenRefusal(request, verdict.fault, scheme);
        throw this.refusal(request, verdict.reason, credentialRefused(closing(request)), verdict.keyId);
      }
      const boundTo = 'boundTo' in verdict ? verdict.boundTo : undefined;
      return whenThere(this.proofs.faultOf(request, presented, boundTo), (fault) => {
        if (fault) throw this.tokenRefusal(request, fault, scheme);
        return verdict.principal;
      });
    });
  }

  private verdictOn(text: string): Awaitable<KeyVerdict | TokenVerdict> {
    const owner = this.keys.ownerOf(text);
    if (owner) return { accepted: true, principal: owner };
    if (!isJwt(text)) return this.keys.verify(text);
    // Tokens of the provider of the settings say nothing of tenants.
    return this.tokens && currentTenant() === undefined
      ? this.tokens.verify(text)
      : { accepted: false, fault: notTaken };
  }

  private absence(request: IncomingMessage): Error {
    this.note('no-credential');
    const hint = this.isOpenHere ? 'In development, only direct requests from localhost are exempt.' : '';
    return credentialMissing(
      `${hint} \`sealwright api-keys create\` makes one.`.trim(),
      this.tokens !== undefined,
      closing(request),
    );
  }

  private tokenRefusal(request: IncomingMessage, fault: TokenFault, scheme: PresentedText['scheme']): Error {
    return this.refusal(request, fault.reason, tokenRefused(fault, scheme, closing(request)));
  }

  private refusal(request: IncomingMessage, reason: string, answer: Error, keyId?: string): Error {
    this.note(reason, keyId);
    if (reason === 'key-altered') {
      this.metrics.rowAltered('api_keys');
      this.logger.error({ event: 'access.key-altered', keyId });
    }
    void this.limiter.count('failed-access', clientAddressOf(request));
    return answer;
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
