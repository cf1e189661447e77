import { Sealer } from '@app/keys';
import type { PresentationResponse, RequestVariant, WalletErrorResponse } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import {
  acceptPresentation,
  declineRequest,
  type Answered,
  rejectPresentation,
} from '../request/authorization-request';
import type { AuthorizationRequest } from '../request/request-record';
import { closedRequest } from '../request/closed-request';
import { RequestSecrets } from '../request/request-secrets';
import type { FoundRequest } from './response-reader';
import { type AnsweredTerms, ResponseVerifier } from './response-verifier';
import { sealResult } from './sealed-result';
import { sealWords } from './wallet-words';

/** Decides about the request as it is when the answer has been read. */
type Decide = (request: AuthorizationRequest, now: Date) => Answered;

/** Turns a verdict into what is recorded and what the wallet is answered. */
@Injectable()
export class ResponseJudge {
  constructor(
    private readonly verifier: ResponseVerifier,
    private readonly secrets: RequestSecrets,
    private readonly sealer: Sealer,
  ) {}

  /** What is recorded of a wallet that declines. */
  async declined(
    { request, wrappedKey }: FoundRequest,
    variant: RequestVariant,
    given: WalletErrorResponse,
  ): Promise<Decide> {
    const words = await sealWords(this.sealer, request.state, wrappedKey, given);
    if (!words) throw closedRequest(variant);
    return (current, now) => declineRequest(current, { variant, now }, words);
  }

  async judge(
    { request, wrappedKey, now }: FoundRequest,
    terms: AnsweredTerms,
    received: PresentationResponse,
    responseCode: string | undefined,
  ): Promise<{
    readonly decide: Decide;
    readonly refusal?: string;
  }> {
    const { variant } = terms;
    const verdict = await this.verifier.verify(request, terms, received, now);
    if ('failure' in verdict) {
      const { failure } = verdict;
      const place = failure.credentialId === undefined ? '' : ` of ${failure.credentialId}`;
      return {
        decide: (current, at) => rejectPresentation(current, { variant, now: at }, failure),
        refusal: `The check ${failure.check}${place} failed: ${failure.reason}.`,
      };
    }
    const sealedResult = await sealResult(this.sealer, request.state, wrappedKey, verdict.accepted);
    if (sealedResult === undefined) throw closedRequest(variant);
    const accepted = {
      sealedResult,
      checks: verdict.checks,
      ...(responseCode !== undefined && {
        responseCodeHash: this.secrets.hashOfResponseCode(responseCode),
      }),
      ...(request.session !== undefined && { session: request.session }),
    };
    return { decide: (current, at) => acceptPresentation(current, { variant, now: at }, accepted) };
  }
}
