import { Settings } from '@app/config';
import { EventStore, type Page, type Repository, type StoredEvent } from '@app/event-store';
import type { PageQuery } from '@app/http';
import { Sealer } from '@app/keys';
import type { RequestVariant } from '@app/openid4vc';
import { Problem } from '@app/problem-details';
import { plusDuration } from '@app/time';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import {
  askForPresentation,
  AUTHORIZATION_REQUESTS,
  type AuthorizationRequest,
  type AuthorizationRequestEvent,
  isReleased,
  type PublicStatus,
  redeemResponseCode,
  type RequestTerms,
  storedAs,
  type VariantTerms,
  streamOfRequest,
} from './authorization-request';
import {
  type AskForPresentationBody,
  lifetimeOf,
  queryOf,
  redirectUriOf,
  responseTypeOf,
} from './authorization-requests.dto';
import { allVariants, deriveDefinition } from './request-rendering';
import { RequestSecrets } from './request-secrets';
import { newEncryptionKey } from './response-encryption';
import type { AcceptedResponse } from './response-verifier';
import { openResult } from './sealed-result';

export type AuthorizationRequests = Repository<AuthorizationRequest, AuthorizationRequestEvent>;

/** The kind under which the store finds a request by the hash of its public handle. */
export const handleKind = 'presentation-handle';
/** The handle is kept a day longer than the request, so that late answers are refused by name. */
const handleGrace = 24 * 60 * 60 * 1000;

/** What decides which generations of wallets can be asked. */
type AskedTerms = Pick<RequestTerms, 'query' | 'handleSalt' | 'responseType' | 'responseMode'>;

export interface RequestView {
  readonly request: AuthorizationRequest;
  readonly now: Date;
  readonly createdAt: Date;
}

/** Asks wallets for credentials, or for an ID Token when the body has no query. */
export class AskForPresentation extends Command<RequestView> {
  constructor(readonly body: AskForPresentationBody) {
    super();
  }
}

/** One request with its history and, once a good answer has come, what was presented. */
export class GetAuthorizationRequest extends Query<
  RequestView & {
    readonly result: AcceptedResponse | undefined;
    readonly history: readonly StoredEvent<AuthorizationRequestEvent>[];
  }
> {
  /** @param part `request`: without its history and what was presented, which then stays sealed */
  constructor(
    readonly state: string,
    readonly part: 'request' | 'everything' = 'everything',
  ) {
    super();
  }
}

/** All of them by creation, the newest first, or those with one status by expiry, the latest first. */
export class ListAuthorizationRequests extends Query<Page<AuthorizationRequest>> {
  constructor(
    readonly page: PageQuery,
    readonly status: PublicStatus | undefined,
  ) {
    super();
  }
}

/** The code that a wallet on the same device brought back to the relying party's front end. */
export class RedeemResponseCode extends Command<void> {
  constructor(
    readonly state: string,
    readonly responseCode: string,
  ) {
    super();
  }
}

@CommandHandler(AskForPresentation)
export class AskForPresentationHandler implements ICommandHandler<AskForPresentation> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
    private readonly sealer: Sealer,
    private readonly settings: Settings,
  ) {}

  async execute({ body }: AskForPresentation): Promise<RequestView> {
    const query = queryOf(body);
    const state = body.state ?? randomUUID();
    const handleSalt = this.secrets.newSalt();
    const responseType = responseTypeOf(body, query);
    const redirectUri = redirectUriOf(body, this.settings.profile === 'development');
    const lifetime = lifetimeOf(body);
    const { dataKey, wrapped } = this.sealer.newDataKey(streamOfRequest(state));
    const responseMode = body.responseMode ?? 'direct_post';
    const encryption = responseMode === 'direct_post.jwt' ? newEncryptionKey(this.sealer, dataKey, state) : {};
    const asked = { handleSalt, responseType, responseMode, ...(query && { query }) };
    const variants = this.variantsOf(asked, body.nonce);
    return this.store.transact(async () => {
      const loaded = await this.requests.load(state);
      const expiresAt = plusDuration(loaded.now, lifetime);
      const events = askForPresentation(loaded.state, {
        state,
        ...asked,
        clientIdPrefix: body.clientIdPrefix ?? 'decentralized_identifier',
        expiresAt: expiresAt.toISOString(),
        ...variants,
        ...encryption,
        ...(redirectUri !== undefined && { redirectUri }),
      });
      const hash = this.secrets.hashOf(this.secrets.handleOf({ handleSalt }));
      const keptUntil = new Date(expiresAt.getTime() + handleGrace);
      const bound = { kind: handleKind, hash, expiresAt: keptUntil, bindsStream: true };
      const saved = await this.requests.save(state, 0, events, { consume: [bound], dataKey: wrapped });
      return { request: saved.state, now: loaded.now, createdAt: loaded.now };
    });
  }

  /** Without a query there is SIOPv2 alone; with one, every generation whose words can say it. */
  private variantsOf(request: AskedTerms, nonce: string | undefined): Pick<RequestTerms, 'variants' | 'unavailable'> {
    const variants: VariantTerms[] = [];
    const unavailable: Partial<Record<RequestVariant, string>> = {};
    for (const variant of allVariants) {
      const reason = this.whyUnavailable(request, variant);
      if (reason === undefined) variants.push({ variant, nonce: nonce ?? this.secrets.newNonce() });
      else unavailable[variant] = reason;
    }
    return { variants, unavailable };
  }

  private whyUnavailable(request: AskedTerms, variant: RequestVariant): string | undefined {
    if (!request.query) return variant === 'siopv2' ? undefined : 'the request asks for no credential';
    if (variant === 'siopv2') return 'the request asks for credentials';
    if (variant === 'final') return undefined;
    if (variant === 'draft-20-redirect' && request.responseMode === 'direct_post.jwt') {
      return 'these wallets do not encrypt their answer';
    }
    if (variant === 'draft-20-redirect' && request.responseType !== 'vp_token') {
      return 'these wallets send no ID Token beside a presentation';
    }
    const derived = deriveDefinition(request, variant, this.secrets.wireStateOf(request, variant));
    return 'unavailable' in derived ? derived.unavailable : undefined;
  }
}

@CommandHandler(RedeemResponseCode)
export class RedeemResponseCodeHandler implements ICommandHandler<RedeemResponseCode> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
  ) {}

  execute({ state, responseCode }: RedeemResponseCode): Promise<void> {
    return this.store.transact(async () => {
      const { state: request, version } = await this.requests.load(state);
      const hash = this.secrets.hashOf(responseCode).toString('base64url');
      await this.requests.save(state, version, redeemResponseCode(found(request, state), hash));
    });
  }
}

@QueryHandler(GetAuthorizationRequest)
export class GetAuthorizationRequestHandler implements IQueryHandler<GetAuthorizationRequest> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly sealer: Sealer,
  ) {}

  async execute({ state, part }: GetAuthorizationRequest) {
    const loaded = await this.requests.load(state);
    const request = found(loaded.state, state);
    const view = { request, now: loaded.now, createdAt: loaded.createdAt ?? loaded.now };
    if (part === 'request') return { ...view, result: undefined, history: [] };
    const result = isReleased(request) && loaded.dataKey ? openResult(this.sealer, request, loaded.dataKey) : undefined;
    const history = await this.requests.events(state);
    return { ...view, result, history };
  }
}

@QueryHandler(ListAuthorizationRequests)
export class ListAuthorizationRequestsHandler implements IQueryHandler<ListAuthorizationRequests> {
  constructor(@Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests) {}

  execute({ page, status }: ListAuthorizationRequests): Promise<Page<AuthorizationRequest>> {
    return status ? this.requests.listInStates({ ...page, ...storedAs(status) }) : this.requests.list(page);
  }
}

function found(request: AuthorizationRequest | undefined, state: string): AuthorizationRequest {
  if (!request) throw new Problem('not-found', `There is no authorization request with the state ${state}.`);
  return request;
}
