import type { Loaded, Page, StoredEvent, TimeRange } from '@app/event-store';
import { type PageQuery, assertConditions, type Conditions } from '@app/http';
import { Sealer } from '@app/keys';
import { isEncryptedMode } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import { plusDuration } from '@app/primitives/time';
import { whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { types } from 'node:util';
import {
  askForPresentation,
  AUTHORIZATION_REQUESTS,
  type PresentationRequests,
  isOpen,
  type RequestStatus,
  requestsStoredAs,
  streamOfRequest,
} from '../request/authorization-request';
import type { AuthorizationRequest, AuthorizationRequestEvent } from '../request/request-record';
import { PendingRequestMarks } from '../request/pending-marks';
import { OwnRegistration } from '../question/own-registration';
import type { PresentationInput } from '../question/presentation-input';
import { isReleased, redeemResponseCode } from './response-code';
import { RequestSecrets } from '../request/request-secrets';
import type { PrivateTerms, RequestTerms } from '../request/request-terms';
import { RequestVariants } from '../rendering/request-variants';
import { newEncryptionKey } from '../rendering/response-encryption';
import type { AcceptedResponse } from '../response/response-verifier';
import { openResult } from '../response/sealed-result';
import { openRequest, sealTerms } from '../request/sealed-terms';
import { withWords } from '../response/wallet-words';
import { plainText, translationsOf } from '../request/translated-text';

export interface RequestView {
  readonly request: AuthorizationRequest;
  readonly version: number;
  readonly now: Date;
  readonly createdAt: Date;
}

/** A request with what is sealed of its terms. */
export interface OpenedView extends RequestView {
  readonly request: AuthorizationRequest & RequestTerms;
  /** The data key of the request, as stored. */
  readonly wrappedKey: Buffer;
}

/** A new request. */
interface AskedView extends OpenedView {
  /** What the relying party should know of its registration. */
  readonly warnings: readonly string[];
}

/** Asks wallets for credentials, or for an ID Token when the input has no query. */
export class AskForPresentation extends Command<AskedView> {
  constructor(readonly input: PresentationInput) {
    super();
  }
}

interface RequestOutcome extends RequestView {
  readonly result: AcceptedResponse | undefined;
  readonly history: readonly StoredEvent<AuthorizationRequestEvent>[];
  /** With what it asks, while a wallet may answer it; only for callers that see its links. */
  readonly linked: OpenedView['request'] | undefined;
}

/** One request with its history and, once it was answered successfully, what was presented. */
export class GetAuthorizationRequest extends Query<RequestOutcome> {
  constructor(
    readonly requestId: string,
    readonly seesLinks: boolean,
  ) {
    super();
  }
}

/** A request with what it asks, for its links. Throws `not-found`, also when it was erased. */
export class GetOpenedRequest extends Query<OpenedView> {
  constructor(readonly requestId: string) {
    super();
  }
}

/** All of them by creation, the newest first, or those with one status by expiry, the latest first. */
export class ListAuthorizationRequests extends Query<Page<AuthorizationRequest>> {
  constructor(
    readonly page: PageQuery,
    readonly status: RequestStatus | undefined,
    readonly created: TimeRange | undefined,
  ) {
    super();
  }
}

/** The code that a wallet on the same device brought back to the relying party's front end. */
export class RedeemResponseCode extends Command<void> {
  constructor(
    readonly requestId: string,
    readonly responseCode: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

@CommandHandler(AskForPresentation)
export class AskForPresentationHandler implements ICommandHandler<AskForPresentation> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
    private readonly variants: RequestVariants,
    private readonly sealer: Sealer,
    private readonly registration: OwnRegistration,
  ) {}

  async execute({ input }: AskForPresentation): Promise<AskedView> {
    const { query, nonce, responseType, responseMode, clientIdPrefix, redirectUri, purpose, retention } = input;
    const { expectedOrigins, transactionData } = input;
    const { terms: attested, warnings } = this.registration.of(input);
    const purposeIn = purpose === undefined ? undefined : translationsOf(purpose);
    const requestId = input.requestId ?? randomUUID();
    const handleSalt = this.secrets.handles.newSalt();
    const made = this.sealer.newDataKey(streamOfRequest(requestId));
    const { dataKey, wrapped } = types.isPromise(made) ? await made : made;
    const encryption = isEncryptedMode(responseMode) ? newEncryptionKey(this.sealer, dataKey, requestId) : {};
    const asked = { handleSalt, responseType, responseMode, clientIdPrefix };
    const { unavailable, ...chosen } = this.variants.of(
      { ...asked, ...(query && { query }), ...(transactionData && { transactionData }) },
      nonce,
    );
    const terms: PrivateTerms = {
      ...(query && { query }),
      ...(transactionData && { transactionData }),
      ...(redirectUri !== undefined && { redirectUri }),
      ...(purpose !== undefined && { purpose: plainText(purpose) }),
      ...(purposeIn && { purposeIn }),
      ...attested,
      unavailable,
    };
    const sealedTerms = sealTerms(this.sealer, requestId, dataKey, terms);
    dataKey.fill(0);
    const create = ({ state: present, now }: Loaded<AuthorizationRequest>) => {
      const expiresAt = plusDuration(now, input.expiresIn);
      const events = askForPresentation(present, {
        state: requestId,
        ...asked,
        ...chosen,
        expiresAt: expiresAt.toISOString(),
        ...(expectedOrigins && { expectedOrigins }),
        ...encryption,
        sealedTerms,
        ...(input.returnToPage && { returnToPage: true }),
        ...(input.isAskedInPage && { isAskedInPage: true }),
        ...(retention !== undefined && { retention }),
      });
      const consume = [this.secrets.handles.bindingOf({ handleSalt }, expiresAt)];
      return { events, consume, dataKey: wrapped, result: undefined };
    };
    const created = await this.requests.update(requestId, create, { isUsuallyNew: true });
    const view = viewOf(created, requestId);
    return { ...view, request: { ...view.request, ...terms }, wrappedKey: wrapped, warnings };
  }
}

@CommandHandler(RedeemResponseCode)
export class RedeemResponseCodeHandler implements ICommandHandler<RedeemResponseCode> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
    private readonly marks: PendingRequestMarks,
  ) {}

  async execute({ requestId, responseCode, conditions }: RedeemResponseCode): Promise<void> {
    const hash = this.secrets.hashOfResponseCode(responseCode);
    await this.marks.settle(requestId);
    await this.requests.update(requestId, ({ state, version, now }) => {
      const request = existing(state, requestId);
      assertConditions(conditions, version);
      return redeemResponseCode(request, hash, now);
    });
  }
}

@QueryHandler(GetAuthorizationRequest)
export class GetAuthorizationRequestHandler implements IQueryHandler<GetAuthorizationRequest> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly sealer: Sealer,
    private readonly marks: PendingRequestMarks,
  ) {}

  execute(query: GetAuthorizationRequest): Promise<RequestOutcome> {
    return Promise.resolve(whenThere(this.marks.settle(query.requestId), () => this.settled(query)));
  }

  private async settled({ requestId, seesLinks }: GetAuthorizationRequest): Promise<RequestOutcome> {
    const loaded = await this.requests.loadWithEvents(requestId);
    const view = viewOf(loaded, requestId);
    const { request } = view;
    const { dataKey, events } = loaded;
    const isForPortals = isReleased(request) && !request.isAskedInPage;
    const isLinked = seesLinks && !request.isAskedInPage && isOpen(request, view.now);
    return whenThere(withWords(this.sealer, requestId, dataKey, events), (history) => {
      const opened = isForPortals && dataKey ? openResult(this.sealer, requestId, dataKey, history) : undefined;
      return whenThere(opened, (result) =>
        whenThere(isLinked ? openRequest(this.sealer, request, dataKey) : undefined, (linked) => {
          return { ...view, result, history, linked };
        }),
      );
    });
  }
}

@QueryHandler(GetOpenedRequest)
export class GetOpenedRequestHandler implements IQueryHandler<GetOpenedRequest> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly sealer: Sealer,
  ) {}

  async execute({ requestId }: GetOpenedRequest): Promise<OpenedView> {
    const loaded = await this.requests.load(requestId);
    const view = viewOf(loaded, requestId);
    const { dataKey: wrappedKey } = loaded;
    const request = await openRequest(this.sealer, view.request, wrappedKey);
    if (request && wrappedKey) return { ...view, request, wrappedKey };
    throw new Problem(
      'not-found',
      `What the authorization request ${requestId} asked was erased: it has no link any more.`,
    );
  }
}

@QueryHandler(ListAuthorizationRequests)
export class ListAuthorizationRequestsHandler implements IQueryHandler<ListAuthorizationRequests> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly marks: PendingRequestMarks,
  ) {}

  async execute({ page, status, created }: ListAuthorizationRequests): Promise<Page<AuthorizationRequest>> {
    await this.marks.settleAll();
    const query = { ...page, created };
    return status ? this.requests.listInStates({ ...query, ...requestsStoredAs(status) }) : this.requests.list(query);
  }
}

function viewOf(
  { state: request, version, now, createdAt = now }: Loaded<AuthorizationRequest>,
  requestId: string,
): RequestView {
  return { request: existing(request, requestId), version, now, createdAt };
}

/** Throws `not-found`. */
function existing(request: AuthorizationRequest | undefined, requestId: string): AuthorizationRequest {
  if (!request) throw new Problem('not-found', `There is no authorization request with the state ${requestId}.`);
  return request;
}
