import { EventStore } from '@app/event-store';
import { OAuthError, type RequestVariant, sanitiseDescription } from '@app/openid4vc';
import { askOthersFor } from '@app/web';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import {
  AUTHORIZATION_REQUESTS,
  type AuthorizationRequest,
  type AuthorizationRequestEvent,
  declineRequest,
  openVariant,
} from './authorization-request';
import { RequestSecrets } from './request-secrets';
import { ResponseJudge } from './response-judge';
import { type AnsweredRequest, ResponseReader } from './response-reader';
import { type AuthorizationRequests, handleKind } from './verification.handlers';

/** What a wallet posts in answer to one variant of a request. Throws `OAuthError`. */
export class ReceiveResponse extends Command<{ readonly redirectUri: string | undefined }> {
  constructor(
    readonly variant: RequestVariant,
    readonly handle: string,
    readonly parameters: URLSearchParams,
  ) {
    super();
  }
}

@CommandHandler(ReceiveResponse)
export class ReceiveResponseHandler implements ICommandHandler<ReceiveResponse> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
    private readonly reader: ResponseReader,
    private readonly judge: ResponseJudge,
  ) {}

  async execute(command: ReceiveResponse): Promise<{ readonly redirectUri: string | undefined }> {
    const found = await this.find(command.handle);
    const terms = found && openVariant(found.request, command.variant, found.now);
    if (!terms) throw notOpen();
    const received = await this.reader.read(found, command.variant, command.parameters);
    if (received.kind === 'error') {
      const said = { error: sanitiseDescription(received.code), ...describe(received.description) };
      await this.record(found.id, command.variant, (request) => declineRequest(request, command.variant, said));
      return { redirectUri: undefined };
    }
    // However many answers are sent to it at once.
    askOthersFor(`request ${found.id}`);
    const responseCode = found.request.redirectUri === undefined ? undefined : this.secrets.newResponseCode();
    const judged = await this.judge.judge(found, terms, received, responseCode);
    await this.record(found.id, command.variant, judged.events);
    if (judged.refusal !== undefined) throw new OAuthError('invalid_request', judged.refusal);
    return { redirectUri: withResponseCode(found.request.redirectUri, responseCode) };
  }

  private async find(handle: string): Promise<AnsweredRequest | undefined> {
    const loaded = await this.requests.loadByHandle(handleKind, this.secrets.hashOf(handle));
    if (!loaded?.state || !loaded.dataKey) return undefined;
    return { id: loaded.id, request: loaded.state, wrappedKey: loaded.dataKey, now: loaded.now };
  }

  /** Of two answers that were verified at the same time one is recorded, and the other is refused. */
  private record(
    id: string,
    variant: RequestVariant,
    decide: (request: AuthorizationRequest) => AuthorizationRequestEvent[],
  ): Promise<void> {
    return this.store.transact(async () => {
      const { state, version, now } = await this.requests.load(id);
      if (!state || !openVariant(state, variant, now)) throw notOpen();
      const events = decide(state);
      if (events.length > 0) await this.requests.save(id, version, events);
    });
  }
}

function describe(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description: sanitiseDescription(description) };
}

/** OpenID4VP 1.0 §8.2: in the fragment, which reaches neither servers nor their logs. */
function withResponseCode(redirectUri: string | undefined, code: string | undefined): string | undefined {
  return redirectUri === undefined || code === undefined ? undefined : `${redirectUri}#response_code=${code}`;
}

function notOpen(): OAuthError {
  return new OAuthError(
    'invalid_request',
    'There is no open authorization request at this address; it may have expired or been answered.',
  );
}
