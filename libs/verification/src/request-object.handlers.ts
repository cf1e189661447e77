import type { Found } from '@app/event-store';
import type { RequestVariant } from '@app/openid4vc';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import {
  AUTHORIZATION_REQUESTS,
  type AuthorizationRequest,
  openVariant,
  retrieveRequest,
} from './authorization-request';
import { RequestRendering } from './request-rendering';
import { RequestSecrets } from './request-secrets';
import type { AuthorizationRequests } from './verification.handlers';

export interface Retrieval {
  /** False for a caller who only asks whether there is a request, and so leaves no mark. */
  readonly counts: boolean;
  readonly walletNonce?: string | undefined;
}

/** A wallet reads the signed object of one variant; `undefined` when the request cannot be answered or is not signed. */
export class RetrieveRequest extends Command<string | undefined> {
  constructor(
    readonly variant: RequestVariant,
    readonly handle: string,
    readonly retrieval: Retrieval,
  ) {
    super();
  }
}

@CommandHandler(RetrieveRequest)
export class RetrieveRequestHandler implements ICommandHandler<RetrieveRequest> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
    private readonly rendering: RequestRendering,
  ) {}

  async execute({ variant, handle, retrieval }: RetrieveRequest): Promise<string | undefined> {
    const { counts, walletNonce } = retrieval;
    const hash = this.secrets.handles.hashOfText(handle);
    if (!hash) return undefined;
    return this.secrets.handles.update(this.requests, hash, ({ state, now }: Found<AuthorizationRequest>) => {
      const terms = openVariant(state, variant, now);
      const times = { issuedAt: now, ...(walletNonce !== undefined && { walletNonce }) };
      const result = terms && this.rendering.signedObject(state, terms, times);
      return { events: counts && result !== undefined ? retrieveRequest(state, variant) : [], result };
    });
  }
}
