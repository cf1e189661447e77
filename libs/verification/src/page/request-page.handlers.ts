import type { RequestPageState } from '@app/pages';
import { Sealer } from '@app/keys';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '../request/authorization-request';
import type { AuthorizationRequest } from '../request/request-record';
import { requestPageState } from './request-page-state';
import { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms } from '../request/request-terms';
import { openRequest } from '../request/sealed-terms';

export interface FoundRequestPage {
  readonly request: AuthorizationRequest & RequestTerms;
  readonly state: RequestPageState;
  /** The database's clock. */
  readonly now: Date;
  readonly createdAt: Date;
}

/**
 * What a person sees who opens the page of a request; leaves no mark. Nothing when the handle was never one or is one no
 * more, when what was asked is erased, and when another page asks it.
 */
export class FindRequestPage extends Query<FoundRequestPage | undefined> {
  constructor(readonly handle: string) {
    super();
  }
}

@QueryHandler(FindRequestPage)
export class FindRequestPageHandler implements IQueryHandler<FindRequestPage> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
    private readonly sealer: Sealer,
  ) {}

  async execute({ handle }: FindRequestPage): Promise<FoundRequestPage | undefined> {
    const found = await this.secrets.handles.findByText(this.requests, handle);
    const request = found && (await openRequest(this.sealer, found.state, found.dataKey));
    if (!request || request.isAskedInPage) return undefined;
    const { now, createdAt = now } = found;
    return { request, state: requestPageState(request, now), now, createdAt };
  }
}
