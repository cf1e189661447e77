import { EventStore } from '@app/event-store';
import { Sealer } from '@app/keys';
import {
  type ExpectedResponse,
  OAuthError,
  parseAuthorizationResponse,
  parseDecryptedResponse,
  type PresentationResponse,
  RESPONSE_ENCRYPTION,
  type RequestVariant,
  sanitiseDescription,
  type WalletErrorResponse,
} from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import {
  acceptPresentation,
  AUTHORIZATION_REQUESTS,
  type AuthorizationRequest,
  type AuthorizationRequestEvent,
  declineRequest,
  openVariant,
  rejectPresentation,
  type RequestTerms,
} from './authorization-request';
import { deriveDefinition } from './request-rendering';
import { RequestSecrets } from './request-secrets';
import { decryptResponse } from './response-encryption';
import { ResponseVerifier, type Verdict } from './response-verifier';
import { sealResult } from './sealed-result';
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

interface Found {
  readonly id: string;
  readonly request: AuthorizationRequest;
  readonly wrappedKey: Buffer;
  readonly now: Date;
}

/** Reads what was posted, decrypting it where that was asked for. */
@Injectable()
export class ResponseReader {
  constructor(
    private readonly secrets: RequestSecrets,
    private readonly sealer: Sealer,
  ) {}

  async read(
    { request, wrappedKey }: Found,
    { variant, parameters }: ReceiveResponse,
  ): Promise<PresentationResponse | WalletErrorResponse> {
    const expected = expectedResponse(request, variant, this.secrets.wireStateOf(request, variant));
    const read = parseAuthorizationResponse(parameters, expected);
    if (read.kind !== 'encrypted') return read;
    return parseDecryptedResponse(await decryptResponse(read, request, this.sealer, wrappedKey), read, expected);
  }
}

@CommandHandler(ReceiveResponse)
export class ReceiveResponseHandler implements ICommandHandler<ReceiveResponse> {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
    private readonly reader: ResponseReader,
    private readonly verdicts: ResponseJudge,
  ) {}

  async execute(command: ReceiveResponse): Promise<{ readonly redirectUri: string | undefined }> {
    const found = await this.find(command.handle);
    const terms = found && openVariant(found.request, command.variant, found.now);
    if (!terms) throw notOpen();
    const received = await this.reader.read(found, command);
    if (received.kind === 'error') {
      const said = { error: sanitiseDescription(received.code), ...describe(received.description) };
      await this.record(found.id, command.variant, () => declineRequest(command.variant, said));
      return { redirectUri: undefined };
    }
    const responseCode = found.request.redirectUri === undefined ? undefined : this.secrets.newResponseCode();
    const judged = await this.verdicts.judge(found, terms, received, responseCode);
    await this.record(found.id, command.variant, judged.events);
    if (judged.refusal !== undefined) throw new OAuthError('invalid_request', judged.refusal);
    return { redirectUri: withResponseCode(found.request.redirectUri, responseCode) };
  }

  private async find(handle: string): Promise<Found | undefined> {
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

/** Turns a verdict into what is recorded and what the wallet is told. */
@Injectable()
export class ResponseJudge {
  constructor(
    private readonly verifier: ResponseVerifier,
    private readonly secrets: RequestSecrets,
    private readonly sealer: Sealer,
  ) {}

  async judge(
    { request, wrappedKey, now }: Found,
    terms: Parameters<ResponseVerifier['verify']>[1],
    received: PresentationResponse,
    responseCode: string | undefined,
  ): Promise<{
    readonly events: (request: AuthorizationRequest) => AuthorizationRequestEvent[];
    readonly refusal?: string;
  }> {
    const { variant } = terms;
    const verdict: Verdict = await this.verifier.verify(request, terms, received, now);
    if ('failure' in verdict) {
      const { failure } = verdict;
      const place = failure.credentialId === undefined ? '' : ` of ${failure.credentialId}`;
      return {
        events: (current) => rejectPresentation(current, variant, failure),
        refusal: `The check ${failure.check}${place} failed: ${failure.reason}.`,
      };
    }
    const accepted = {
      sealedResult: sealResult(this.sealer, request.state, wrappedKey, verdict.accepted),
      checks: verdict.checks,
      ...(responseCode !== undefined && {
        responseCodeHash: this.secrets.hashOf(responseCode).toString('base64url'),
      }),
    };
    return { events: () => acceptPresentation(variant, accepted) };
  }
}

function expectedResponse(request: RequestTerms, variant: RequestVariant, state: string): ExpectedResponse {
  const { query, responseType, responseMode } = request;
  if (variant === 'siopv2' || !query) return { state, idToken: true };
  const idToken = responseType === 'vp_token id_token' && variant !== 'draft-20-redirect';
  const isEncrypted = responseMode === 'direct_post.jwt';
  if (variant === 'final') {
    return {
      state,
      idToken,
      presentations: { by: 'dcql', query },
      ...(isEncrypted && { encryption: RESPONSE_ENCRYPTION.final }),
    };
  }
  const derived = deriveDefinition(request, variant, state);
  if ('unavailable' in derived) throw new Error(`a response to the unavailable variant ${variant}`);
  return {
    state,
    idToken,
    presentations: {
      by: 'submission',
      query,
      definitionId: derived.definition.id,
      descriptorToQueryId: derived.descriptorToQueryId,
    },
    ...(isEncrypted && variant === 'draft-20' && { encryption: RESPONSE_ENCRYPTION['draft-20'] }),
  };
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
