import {
  type Answer,
  Implements,
  type Input,
  Resource,
  seesLinksOf,
  timeRange,
  entityTag,
  shownLink,
  timelineOf,
  created,
  HttpReply,
  redirectTo,
} from '@app/http';
import type { PageAddresses } from '@app/pages';
import { whenThere } from '@app/primitives/awaitable';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { StoredEvent } from '@app/event-store';
import { isAwaited, notReturned, requestStatus, streamOfRequest } from '../request/authorization-request';
import type { AuthorizationRequest, AuthorizationRequestEvent, Failure } from '../request/request-record';
import { authorizationRequests } from './authorization-requests.contract';
import { DigitalCredentialRequests } from '../rendering/digital-credential-requests';
import { PresentationInputs } from '../question/presentation-inputs';
import { EraseRequest } from './request-erasure.handlers';
import { type MadeRequest, RequestLinks } from '../rendering/request-links';
import { isReleased } from './response-code';
import { requestEvents } from '../request/request-events';
import {
  AskForPresentation,
  GetAuthorizationRequest,
  GetOpenedRequest,
  ListAuthorizationRequests,
  RedeemResponseCode,
  type RequestView,
} from './verification.handlers';

@Resource(authorizationRequests)
export class AuthorizationRequestsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly links: RequestLinks,
    private readonly digital: DigitalCredentialRequests,
    private readonly inputs: PresentationInputs,
  ) {}

  @Implements(authorizationRequests.ask)
  async ask({ body, mediaType }: Input<typeof authorizationRequests.ask>): Promise<HttpReply> {
    const input = this.inputs.of(body);
    const view = await this.commands.execute(new AskForPresentation(input));
    // The link of a request that is not signed has all that it asks.
    const personalData = { streamId: streamOfRequest(view.request.state), wrappedKey: view.wrappedKey };
    if (mediaType !== 'application/json') {
      return (await shownLink(this.links.of(view).authorizationRequest, mediaType, 201)).withPersonalDataOf(
        personalData,
      );
    }
    const { state, expiresAt } = view.request;
    const warnings = [...this.inputs.warningsOf(input), ...view.warnings];
    return whenThere(this.linksOf(view), (links) => {
      const answer = { state, ...links, expiresAt, ...(warnings.length > 0 && { warnings }) };
      return created(addressOf(view.request), answer).withPersonalDataOf(personalData);
    });
  }

  @Implements(authorizationRequests.list)
  async list({ query }: Input<typeof authorizationRequests.list>): Promise<Answer<typeof authorizationRequests.list>> {
    const asked = new ListAuthorizationRequests(
      query.page,
      query.status,
      timeRange(query.createdAfter, query.createdBefore),
    );
    const { items, nextCursor, now } = await this.queries.execute(asked);
    return {
      items: items.map(({ state, createdAt }) => summary({ request: state, now, createdAt })),
      nextCursor,
    };
  }

  @Implements(authorizationRequests.get)
  get({ params: { state } }: Input<typeof authorizationRequests.get>): Promise<HttpReply> {
    return this.outcome(state);
  }

  @Implements(authorizationRequests.svg)
  svg({ params: { state } }: Input<typeof authorizationRequests.svg>): Promise<HttpReply> {
    return this.redirect(state, 'qrSvg');
  }

  @Implements(authorizationRequests.png)
  png({ params: { state } }: Input<typeof authorizationRequests.png>): Promise<HttpReply> {
    return this.redirect(state, 'qrPng');
  }

  @Implements(authorizationRequests.page)
  page({ params: { state } }: Input<typeof authorizationRequests.page>): Promise<HttpReply> {
    return this.redirect(state, 'page');
  }

  /** The code that the wallet brought back to `redirectUri`; the result is released by it. */
  @Implements(authorizationRequests.redeem)
  async redeem({
    params: { state },
    body,
    conditions,
  }: Input<typeof authorizationRequests.redeem>): Promise<HttpReply> {
    await this.commands.execute(new RedeemResponseCode(state, body.responseCode, conditions));
    return this.outcome(state);
  }

  @Implements(authorizationRequests.erase)
  async erase({ params: { state }, conditions }: Input<typeof authorizationRequests.erase>): Promise<void> {
    await this.commands.execute(new EraseRequest(state, 'request', conditions));
  }

  private async outcome(state: string): Promise<HttpReply> {
    const view = await this.queries.execute(new GetAuthorizationRequest(state, seesLinksOf(authorizationRequests.get)));
    const { version, result, history, linked, createdAt } = view;
    const shown = summary(view);
    const outcome = {
      ...shown,
      ...(linked && (await this.linksOf({ request: linked, createdAt }))),
      vp_token: result?.vpToken ?? null,
      id_token: result?.idToken ?? null,
      subject: result?.subject ?? null,
      credentials: result?.credentials ?? [],
      transactionData: result?.transactionData ?? [],
      withheld: withheldBecause(view),
      failure: failureOf(view, history),
      timeline: timelineOf(history, requestEvents),
    };
    // A request expires, and what was presented is erased, without an event.
    return new HttpReply(200, outcome, {
      ETag: entityTag(version, `${shown.status}-${result ? 'with' : 'without'}-result`),
    });
  }

  private linksOf(made: MadeRequest) {
    return whenThere(this.digital.of(made), (digital) => ({ ...this.links.of(made), ...digital }));
  }

  private async redirect(state: string, to: keyof PageAddresses): Promise<HttpReply> {
    const { request } = await this.queries.execute(new GetOpenedRequest(state));
    return redirectTo(this.links.ofPage(request)[to]);
  }
}

function addressOf({ state }: AuthorizationRequest): string {
  return `/v0/authorization_requests/${encodeURIComponent(state)}`;
}

function summary({
  request,
  now,
  createdAt,
}: Omit<RequestView, 'version'>): Answer<typeof authorizationRequests.list>['items'][number] {
  const { state, responseType, responseMode, expiresAt, eraseAt, erasedAt } = request;
  return {
    state,
    status: requestStatus(request, now),
    responseType,
    responseMode,
    createdAt: createdAt.toISOString(),
    expiresAt,
    ...(erasedAt === undefined ? eraseAt !== undefined && { eraseAt } : { erasedAt }),
  };
}

/** Why a verified result is not shown yet, and what releases it. */
function withheldBecause({ request, now }: RequestView): string | null {
  const isVerified = requestStatus(request, now) === 'verified';
  if (!isVerified || request.erasedAt !== undefined) return null;
  if (request.isAskedInPage)
    return 'What was presented identified the person of an authorization, and is shown to nobody else.';
  if (isReleased(request)) return null;
  const until = isAwaited(request, now) ? ` until ${request.expiresAt}` : '';
  if (request.returnToPage) {
    return `The result waits${until} for the person to return to the page of the request, in the browser that had it open.`;
  }
  return (
    `The result waits${until} for the person to return on the device that asked. Take response_code from the fragment ` +
    `of the address that the wallet opens (your redirectUri), and send it: POST ${addressOf(request)}/response_code {"responseCode": "..."}`
  );
}

/** In the words of the wallet, where it was the last to fail and they are not erased. */
function failureOf(
  { request, now }: RequestView,
  history: readonly Pick<StoredEvent<AuthorizationRequestEvent>, 'event'>[],
): Failure | null {
  if (request.status === 'withheld') return isAwaited(request, now) ? null : notReturned(request);
  if (!('failure' in request)) return null;
  if (request.status === 'abandoned') return request.failure;
  const last = history.findLast(
    ({ event: { type } }) => type === 'WalletDeclined' || type === 'PresentationRejected' || type === 'ResponseRefused',
  );
  return last?.event.type === 'WalletDeclined' ? { ...request.failure, reason: last.event.error } : request.failure;
}
