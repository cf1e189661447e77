import { timeAfter } from '@app/event-store';
import { encryptJwe } from '@app/primitives/jose';
import { Sealer } from '@app/keys';
import type { LinkVariant, RequestObjectEncryption } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type AddressedRequest, findAddressed, openAddressed } from '../request/addressed-request';
import { AUTHORIZATION_REQUESTS, openVariant, type PresentationRequests } from '../request/authorization-request';
import { PendingRequestMarks } from '../request/pending-marks';
import { RequestRendering } from './request-rendering';
import { RequestSecrets } from '../request/request-secrets';
import type { VariantTerms } from '../request/request-terms';

export interface Retrieval {
  /** False for a caller who only asks whether there is a request, and so leaves no mark. */
  readonly counts: boolean;
  readonly walletNonce?: string | undefined;
  /** Absent: it is sent as it is signed. The key is on its curve. */
  readonly encryption?: RequestObjectEncryption | undefined;
}

/** A wallet reads the signed object of one variant, encrypted if it asks for that; `undefined` when the request cannot be answered or is not signed. */
export class RetrieveRequest extends Command<string | undefined> {
  constructor(
    readonly variant: LinkVariant,
    readonly handle: string,
    readonly retrieval: Retrieval,
  ) {
    super();
  }
}

@CommandHandler(RetrieveRequest)
export class RetrieveRequestHandler implements ICommandHandler<RetrieveRequest> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
    private readonly rendering: RequestRendering,
    private readonly marks: PendingRequestMarks,
    private readonly sealer: Sealer,
  ) {}

  execute({ variant, handle, retrieval }: RetrieveRequest): Promise<string | undefined> {
    const retrieved = whenThere(findAddressed(this.secrets, this.requests, handle), (found) => {
      const terms = found && openVariant(found.state, variant, found.now);
      return terms && this.retrieve(found, terms, retrieval);
    });
    return Promise.resolve(retrieved);
  }

  private retrieve(
    found: AddressedRequest,
    terms: VariantTerms<LinkVariant>,
    { counts, walletNonce, encryption }: Retrieval,
  ): Awaitable<string | undefined> {
    const times = { issuedAt: found.now, ...(walletNonce !== undefined && { walletNonce }) };
    return whenThere(openAddressed(this.sealer, found), (request) => {
      if (!request) return undefined;
      return whenThere(this.rendering.signedObject(request, terms, times), (signed) => {
        if (signed === undefined) return undefined;
        const marked = counts ? this.marks.retrieved(request, terms.variant, timeAfter(found)) : undefined;
        return whenThere(marked, () => (encryption ? encrypted(signed, encryption) : signed));
      });
    });
  }
}

/** A nested JWT (RFC 9101 §4, RFC 7519 §5.2). */
function encrypted(signed: string, { jwk, ...header }: RequestObjectEncryption): Promise<string> {
  return encryptJwe(signed, jwk, { ...header, cty: 'JWT' });
}
