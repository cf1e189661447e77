import { Settings } from '@app/config';
import { ShowsLinks } from '@app/access';
import {
  type BareLink,
  Idempotent,
  linkPage,
  parseChoice,
  parsePageQuery,
  pictureAddresses,
  preferredRepresentation,
  shownLink,
  timelineOf,
  type TimelineStep,
} from '@app/http';
import { Described } from '@app/openapi';
import { created, HttpReply, RequiresScope } from '@app/web';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { IsString, Length } from 'class-validator';
import {
  type AuthorizationRequest,
  type AuthorizationRequestEvent,
  publicStatus,
  publicStatuses,
} from './authorization-request';
import { AskForPresentationBody, presentationInputOf, warningsOf } from './authorization-requests.dto';
import { RequestRendering } from './request-rendering';
import {
  AskForPresentation,
  GetAuthorizationRequest,
  ListAuthorizationRequests,
  RedeemResponseCode,
  type RequestView,
} from './verification.handlers';
import { authorizationRequestsDescription, linkMembers } from './authorization-requests.openapi';

class ResponseCodeBody {
  @IsString()
  @Length(1, 256)
  readonly responseCode!: string;
}

@Controller('v0/authorization_requests')
@Described(authorizationRequestsDescription)
@ShowsLinks('verification:deliver', linkMembers)
export class AuthorizationRequestsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly rendering: RequestRendering,
    private readonly settings: Settings,
  ) {}

  @Post()
  @RequiresScope('verification:write')
  @Idempotent(preferredRepresentation)
  async ask(@Body() body: AskForPresentationBody, @Headers('accept') accept: string | undefined): Promise<HttpReply> {
    const wanted = preferredRepresentation(accept);
    const input = presentationInputOf(body, this.settings.profile === 'development');
    const view = await this.commands.execute(new AskForPresentation(input));
    const links = this.links(view);
    if (wanted !== 'application/json') return shownLink(links.authorizationRequest, wanted, 201);
    const { state, expiresAt } = view.request;
    const warnings = warningsOf(input);
    const answer = { state, ...links, expiresAt, ...(warnings.length > 0 && { warnings }) };
    return created(addressOf(view.request), answer);
  }

  @Get()
  @RequiresScope('verification:read')
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const status = parseChoice(query, 'status', publicStatuses);
    const asked = new ListAuthorizationRequests(parsePageQuery(query), status);
    const { items, nextCursor, now } = await this.queries.execute(asked);
    return {
      items: items.map(({ state, createdAt }) => summary({ request: state, now, createdAt })),
      nextCursor,
    };
  }

  @Get(':state')
  @RequiresScope('verification:read')
  async get(@Param('state') state: string): Promise<unknown> {
    const view = await this.queries.execute(new GetAuthorizationRequest(state));
    const { request, result, history } = view;
    return {
      ...summary(view),
      vp_token: result?.vpToken ?? null,
      id_token: result?.idToken ?? null,
      subject: result?.subject ?? null,
      credentials: result?.credentials ?? [],
      failure: request.status === 'rejected' ? request.failure : null,
      timeline: timelineOf(history, describeRequestEvent),
    };
  }

  @Get(':state/qr.svg')
  @RequiresScope('verification:deliver')
  async svg(@Param('state') state: string): Promise<HttpReply> {
    return this.show(state, 'image/svg+xml');
  }

  @Get(':state/qr.png')
  @RequiresScope('verification:deliver')
  async png(@Param('state') state: string): Promise<HttpReply> {
    return this.show(state, 'image/png');
  }

  @Get(':state/page')
  @RequiresScope('verification:deliver')
  async page(@Param('state') state: string): Promise<HttpReply> {
    return linkPage('Show your credential', await this.link(state));
  }

  /** The code that the wallet brought back to `redirectUri`; the result is released by it. */
  @Post(':state/response_code')
  @RequiresScope('verification:write')
  @HttpCode(200)
  async redeem(@Param('state') state: string, @Body() body: ResponseCodeBody): Promise<unknown> {
    await this.commands.execute(new RedeemResponseCode(state, body.responseCode));
    return this.get(state);
  }

  private async show(state: string, as: BareLink): Promise<HttpReply> {
    return shownLink(await this.link(state), as);
  }

  private async link(state: string): Promise<string> {
    return this.links(await this.queries.execute(new GetAuthorizationRequest(state, 'request'))).authorizationRequest;
  }

  private links({ request, createdAt }: RequestView) {
    const links = request.variants.map((terms): [string, string] => [
      publicName[terms.variant],
      this.rendering.link(request, terms, { issuedAt: createdAt }),
    ]);
    const unavailable = Object.entries(request.unavailable).map(([variant, reason]): [string, string] => [
      publicName[variant as keyof typeof publicName],
      reason,
    ]);
    return {
      // The newest generation first: it is what the QR code shows.
      authorizationRequest: links[0]?.[1] ?? '',
      variants: {
        ...Object.fromEntries(unavailable.map(([name]) => [name, null])),
        ...Object.fromEntries(links),
        unavailable: Object.fromEntries(unavailable),
      },
      links: pictureAddresses(addressOf(request)),
    };
  }
}

/** How portals know the variants. */
const publicName = {
  final: '1.0',
  'draft-20': 'draft-20',
  'draft-20-redirect': 'draft-20-redirect',
  siopv2: 'siopv2',
} as const;

function addressOf({ state }: AuthorizationRequest): string {
  return `/v0/authorization_requests/${encodeURIComponent(state)}`;
}

function summary({ request, now, createdAt }: RequestView): Record<string, unknown> {
  const { state, responseType, responseMode, expiresAt } = request;
  return {
    state,
    status: publicStatus(request, now),
    responseType,
    responseMode,
    createdAt: createdAt.toISOString(),
    expiresAt,
  };
}

/** What an event means to a relying party, without anything that was presented. */
function describeRequestEvent(event: AuthorizationRequestEvent): TimelineStep {
  switch (event.type) {
    case 'AuthorizationRequested':
      return { step: 'requested', outcome: 'ok', detail: event.variants.map(({ variant }) => publicName[variant]) };
    case 'RequestRetrieved':
      return { step: 'retrieved', outcome: 'ok', detail: publicName[event.variant] };
    case 'PresentationRejected':
      return { step: 'presented', outcome: 'rejected', detail: event.failure };
    case 'WalletDeclined': {
      const { error, description } = event;
      return { step: 'declined', outcome: 'rejected', detail: { error, ...(description && { description }) } };
    }
    case 'PresentationVerified':
      return {
        step: 'presented',
        outcome: 'verified',
        detail: { via: publicName[event.variant], checks: event.checks },
      };
    case 'ResponseCodeRedeemed':
      return { step: 'response code redeemed', outcome: 'ok', detail: null };
  }
}
