import { OAuthError, type PresentationResponse, type RequestVariant, type WalletErrorResponse } from '@app/openid4vc';
import { askOthersFor } from '@app/http';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import {
  type Answered,
  AUTHORIZATION_REQUESTS,
  type PresentationRequests,
  retrieveRequest,
} from '../request/authorization-request';
import type { AuthorizationRequest } from '../request/request-record';
import { closedRequest } from '../request/closed-request';
import { PendingRequestMarks } from '../request/pending-marks';
import { ResponseJudge } from './response-judge';
import { type FoundRequest, ResponseReader } from './response-reader';
import type { AnsweredTerms } from './response-verifier';
import { ReturnAddress } from '../rendering/return-address';

/** An answer that was recorded. */
export interface Taken {
  /** Where the person goes on, with the response code. */
  readonly redirectUri: string | undefined;
}

/** The requests that wallets answer, whichever way the answer comes. */
@Injectable()
export class RequestAnswers {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly reader: ResponseReader,
    private readonly judge: ResponseJudge,
    private readonly marks: PendingRequestMarks,
    private readonly wayBack: ReturnAddress,
  ) {}

  find(handle: string): Awaitable<FoundRequest | undefined> {
    return this.reader.find(this.requests, handle);
  }

  /** Does the work of reading an answer; notes what it throws for the wallet. */
  reading<T>({ id }: FoundRequest, variant: RequestVariant, work: () => Awaitable<T>): Awaitable<T> {
    return this.marks.reading(id, variant, work);
  }

  /** Verifies and records what a wallet has answered. Throws `OAuthError` when it is not accepted. */
  async settle(
    found: FoundRequest,
    terms: AnsweredTerms,
    received: PresentationResponse | WalletErrorResponse,
  ): Promise<Taken> {
    const { variant } = terms;
    if (received.kind === 'error') {
      await this.record(found.id, variant, await this.judge.declined(found, variant, received));
      return { redirectUri: undefined };
    }
    // However many answers are sent to it at once.
    askOthersFor(`request ${found.id}`);
    const back = this.wayBack.of(found.request);
    const judged = await this.judge.judge(found, terms, received, back?.responseCode);
    await this.record(found.id, variant, judged.decide);
    if (judged.refusal !== undefined)
      throw new OAuthError('invalid_request', judged.refusal, { reason: 'check-failed' });
    return { redirectUri: back?.address };
  }

  /** Throws `closedRequest` when the request was answered or has expired in the meantime. */
  private record(
    id: string,
    variant: RequestVariant,
    decide: (request: AuthorizationRequest, now: Date) => Answered,
  ): Awaitable<void> {
    const answer = () =>
      this.requests.update(id, ({ state, now }) => {
        if (!state) throw closedRequest(variant);
        const answered = decide(state, now);
        const retrievedAt = this.marks.retrievedAt(state, variant);
        if (!retrievedAt || answered.events.length === 0) return { events: answered.events, result: answered };
        return { events: [...retrieveRequest(state, variant, retrievedAt), ...answered.events], result: answered };
      });
    // They came before, and what was refused last is what the request shows.
    return whenThere(whenThere(this.marks.settleRefusals(id), answer), ({ result }) => {
      if (result.refusal) throw closedRequest(variant);
      if (result.events.length > 0) this.marks.retrievalRecorded(id, variant);
    });
  }
}
