import type { Found } from '@app/event-store';
import { formParameters, LimitBody, RawBody, WalletErrorFilter } from '@app/http';
import { parseRequestUriPost } from '@app/openid4vc';
import { HttpReply, PublicEndpoint } from '@app/web';
import { Body, Controller, Get, Inject, Param, Post, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import {
  AUTHORIZATION_REQUESTS,
  type AuthorizationRequest,
  openVariant,
  retrieveRequest,
} from './authorization-request';
import { noOpenRequest, variantOf } from './request-address';
import { RequestRendering } from './request-rendering';
import { RequestSecrets } from './request-secrets';
import type { AuthorizationRequests } from './verification.handlers';

/** Where wallets fetch a request object (RFC 9101, OpenID4VP 1.0 §5.10); as often as they like. */
@Controller('openid4vp/:variant/:handle/request')
@PublicEndpoint('wallets')
@LimitBody('presentation')
@UseFilters(WalletErrorFilter)
export class RequestObjectEndpoint {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: AuthorizationRequests,
    private readonly secrets: RequestSecrets,
    private readonly rendering: RequestRendering,
  ) {}

  @Get()
  get(
    @Param('variant') variant: string,
    @Param('handle') handle: string,
    @Req() { method }: IncomingMessage,
  ): Promise<HttpReply> {
    return this.object(variant, handle, { counts: method !== 'HEAD' });
  }

  @Post()
  async post(
    @Param('variant') variant: string,
    @Param('handle') handle: string,
    @Body() body: RawBody,
  ): Promise<HttpReply> {
    const { walletNonce } = parseRequestUriPost(formParameters(body));
    return this.object(variant, handle, { counts: true, ...(walletNonce !== undefined && { walletNonce }) });
  }

  /** A HEAD request only asks whether there is a request, and retrieves nothing. */
  private async object(
    name: string,
    handle: string,
    { counts, walletNonce }: { readonly counts: boolean; readonly walletNonce?: string },
  ): Promise<HttpReply> {
    const variant = variantOf(name);
    const { handles } = this.secrets;
    const hash = handles.hashOfText(handle);
    const decide = ({ state: request, now }: Found<AuthorizationRequest>) => {
      const terms = openVariant(request, variant, now);
      const times = { issuedAt: now, ...(walletNonce !== undefined && { walletNonce }) };
      const result = terms && this.rendering.signedObject(request, terms, times);
      return { events: counts && result !== undefined ? retrieveRequest(request, variant) : [], result };
    };
    const signed = hash && (await handles.update(this.requests, hash, decide));
    if (signed === undefined) throw noOpenRequest();
    return new HttpReply(200, signed, {
      'Content-Type': 'application/oauth-authz-req+jwt',
      'Cache-Control': 'no-store',
    });
  }
}
