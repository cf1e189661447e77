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
  ScopeRefusals,
  scopesOfTenants,
  TenantAddresses,
} from '@app/http';
import { attempt, type Awaitable, whenThere } from '@app/primitives/awaitable';
import { currentTenant, inTenant, type Tenant } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { EventStore } from '@app/event-store';
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

/** Who calls, and in whose name where the address does not say that. */
interface Caller {
  readonly principal: Principal;
  readonly tenantId?: string | undefined;
}

/** By which a caller of the service names the tenant to act for. */
const actsFor = 'x-tenant';

/** Finds out who calls the management API, before anything of the body is read. */
@Injectable()
export class Authentication {
  private readonly logger = new Logger('Access');
  private readonly proven = new ProvenCredentials();
  private readonly scopes: ScopeRefusals;
  private readonly publicHost: string;
  private readonly tenantClaim: string;
  private readonly ofAnother: TokenVerdict;
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
    private readonly addresses: TenantAddresses,
    private readonly store: EventStore,
  ) {
    this.scopes = new ScopeRefusals(metrics);
    this.publicHost = new URL(applicationUrl).hostname;
    this.tenantClaim = management.tenantClaim;
    const fault = tokenFault('claim-tenant', `its ${this.tenantClaim} must be the id of this tenant`);
    this.ofAnother = { accepted: false, fault };
    this.isOpenHere = needsNoKeyHere({ management, profile });
  }

  /**
   * Says who sent the request, or rejects with `unauthorized`, `rate-limited`, or `unavailable` when that cannot be determined.
   * @returns the tenant in whose name it is done although its address is that of the service; rejects then also with `forbidden` and
   *   `tenant-not-found`
   */
  authenticate(request: IncomingMessage): Awaitable<Tenant | undefined> {
    return whenThere(
      attempt(() => this.callerOf(request)),
      ({ principal, tenantId }) => {
        actAs(principal, (scope) => this.isStillAllowed(principal, request, scope));
        const named = request.headers[actsFor];
        if (tenantId !== undefined && currentTenant() === undefined)
          return this.tenantOfToken(request, tenantId, named);
        return named === undefined ? undefined : this.actFor(request, principal, String(named));
      },
    );
  }

  private async tenantOfToken(request: IncomingMessage, id: string, named: unknown): Promise<Tenant> {
    if (named !== undefined && named !== id) throw this.scopes.ofScope('tenants:act');
    const tenant = await this.addresses.byId(id);
    if (tenant) return tenant;
    throw this.tokenRefusal(request, tokenFault('claim-tenant', 'it is of a tenant that is not there'), 'Bearer');
  }

  /** Of an operator; the audit of the service says for whom, and that of the tenant by whom. */
  private async actFor(request: IncomingMessage, principal: Principal, id: string): Promise<Tenant | undefined> {
    const here = currentTenant();
    if (here?.id === id) return undefined;
    if (here !== undefined || !principal.scopes.has('tenants:act')) throw this.scopes.ofScope('tenants:act');
    const tenant = await this.addresses.byId(id);
    if (tenant === undefined)
      throw new Problem('tenant-not-found', `X-Tenant names ${id}, and there is no such tenant.`);
    const { id: by, client } = principal;
    const { requestId = null } = currentRequest() ?? {};
    await this.store.audit({ principal: by, client, action: 'tenants.act', object: id, outcome: 'ok', requestId });
    const acting: Principal = {
      id: `operator:${by}`,
      client: `operator:${client}`,
      scopes: new Set(scopesOfTenants.filter((scope) => principal.scopes.has(scope))),
      ...(principal.templates && { templates: principal.templates }),
      ...(principal.person && { person: principal.person }),
    };
    actAs(acting, (scope) =>
      inTenant(
        undefined,
        async () =>
          (await this.isStillAllowed(principal, request, scope)) &&
          this.isStillAllowed(principal, request, 'tenants:act'),
      ),
    );
    return tenant;
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

  private callerOf(request: IncomingMessage): Awaitable<Caller> {
    const presented = readPresentedCredential(request);
    const sessions = this.sessions.in(request);
    if (sessions) {
      if (presented.kind !== 'none') throw severalCredentials(closing(request));
      return whenThere(sessions.callerOf(request), (principal) => ({ principal }));
    }
    switch (presented.kind) {
      case 'credential':
        return this.authenticateThrottled(presented, request);
      case 'unusable':
        throw this.refusal(request, presented.reason, credentialRefused(closing(request), presented.reason));
      case 'none':
        if (this.isOpenHere && isLocalCaller(request, this.publicHost)) {
          return { principal: currentTenant() === undefined ? local : localToTenant };
        }
        throw this.absence(request);
    }
  }

  /** Too many wrong keys from an address, and only those that were right before are checked. */
  private authenticateThrottled(presented: PresentedText, request: IncomingMessage): Awaitable<Caller> {
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

  private ownerOf(presented: PresentedText, request: IncomingMessage): Awaitable<Caller> {
    const { text, scheme } = presented;
    if (scheme === 'DPoP' && !isJwt(text)) {
      throw this.refusal(request, 'key-scheme', credentialRefused(closing(request), 'scheme'));
    }
    return whenThere<KeyVerdict | TokenVerdict, Caller>(this.verdictOn(text), (verdict) => {
      if (!verdict.accepted) {
        if ('fault' in verdict) throw this.tokenRefusal(request, verdict.fault, scheme);
        throw this.refusal(request, verdict.reason, credentialRefused(closing(request)), verdict.keyId);
      }
      const boundTo = 'boundTo' in verdict ? verdict.boundTo : undefined;
      return whenThere(this.proofs.faultOf(request, presented, boundTo), (fault) => {
        if (fault) throw this.tokenRefusal(request, fault, scheme);
        return { principal: verdict.principal, tenantId: 'tenantId' in verdict ? verdict.tenantId : undefined };
      });
    });
  }

  private verdictOn(text: string): Awaitable<KeyVerdict | TokenVerdict> {
    const owner = this.keys.ownerOf(text);
    if (owner) return { accepted: true, principal: owner };
    if (!isJwt(text)) return this.keys.verify(text);
    const here = currentTenant();
    // Without a claim, tokens of the provider of the settings say nothing of tenants.
    if (!this.tokens || (here !== undefined && this.tenantClaim === '')) return { accepted: false, fault: notTaken };
    const { tokens } = this;
    if (here === undefined) return tokens.verify(text);
    return whenThere(
      inTenant(undefined, () => tokens.verify(text)),
      (verdict) => (verdict.accepted && verdict.tenantId !== here.id ? this.ofAnother : verdict),
    );
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
