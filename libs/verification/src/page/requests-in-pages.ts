import { Sealer } from '@app/keys';
import type { DcqlQuery } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { AskedInPage } from '../api';
import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '../request/authorization-request';
import { PendingRequestMarks } from '../request/pending-marks';
import { requestPageState } from './request-page-state';
import { RequestPages } from './request-pages';
import { isReleased } from '../management/response-code';
import { openResult } from '../response/sealed-result';
import { openRequest } from '../request/sealed-terms';

/** The requests that a page of another module makes in the browser of a person. */
@Injectable()
export class RequestsInPages {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly sealer: Sealer,
    private readonly marks: PendingRequestMarks,
    private readonly pages: RequestPages,
  ) {}

  /** How far a request has come; `undefined` when there is none. @param query what the page asks now */
  async find(requestId: string, query: DcqlQuery): Promise<AskedInPage | undefined> {
    await this.marks.settle(requestId);
    const { state: stored, dataKey, now, createdAt = now } = await this.requests.load(requestId);
    if (!stored) return undefined;
    const request = await openRequest(this.sealer, stored, dataKey);
    if (!request || !dataKey || !isDeepStrictEqual(request.query, query)) return { outcome: 'over' };
    if (isReleased(request)) return this.presented(requestId, dataKey);
    const state = requestPageState(request, now);
    if (state === 'abandoned' || state === 'expired') return { outcome: 'over' };
    return { outcome: 'open', page: (visit) => this.pages.shown({ request, state, now, createdAt }, visit) };
  }

  private async presented(requestId: string, dataKey: Buffer): Promise<AskedInPage> {
    const result = await openResult(this.sealer, requestId, dataKey, await this.requests.events(requestId));
    const credential = result?.credentials[0];
    return credential ? { outcome: 'presented', claims: credential.claims } : { outcome: 'over' };
  }
}
