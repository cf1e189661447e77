import { EventStore } from '@app/event-store';
import { formParameters, RawBody } from '@app/http';
import { OAuthError, parseRequestUriPost, REQUEST_VARIANTS, type RequestVariant } from '@app/openid4vc';
import { WalletErrorFilter } from '@app/problem-details';
import { HttpReply, PublicEndpoint } from '@app/web';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { AUTHORIZATION_REQUESTS, openVariant, retrieveRequest } from './authorization-request';
import { RequestRendering } from './request-rendering';
import { RequestSecrets } from './request-secrets';
import { ReceiveResponse } from './response.handlers';
import { type AuthorizationRequests, handleKind } from './verification.handlers';

/** Where wallets fetch a request object (RFC 9101, OpenID4VP 1.0 §5.10); as often as they like. */
@Controller('openid4vp/:variant/:handle/request')
@PublicEndpoint()
@UseFilters(WalletErrorFilter)
export class RequestObjectEndpoint {
  constructor(
    private readonly store: EventStore,
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

  /** Who only asks whether there is something (HEAD) has retrieved nothing. */
  private async object(
    name: string,
    handle: string,
    { counts, walletNonce }: { readonly counts: boolean; readonly walletNonce?: string },
  ): Promise<HttpReply> {
    const variant = variantOf(name);
    const signed = await this.store.transact(async () => {
      const loaded = await this.requests.loadByHandle(handleKind, this.secrets.hashOf(handle));
      const terms = loaded?.state && openVariant(loaded.state, variant, loaded.now);
      if (!loaded?.state || !terms) throw notFound();
      const times = { issuedAt: loaded.now, ...(walletNonce !== undefined && { walletNonce }) };
      const object = this.rendering.signedObject(loaded.state, terms, times);
      if (object === undefined) throw notFound();
      const events = retrieveRequest(loaded.state, variant);
      if (counts && events.length > 0) await this.requests.save(loaded.id, loaded.version, events);
      return object;
    });
    return new HttpReply(200, signed, {
      'Content-Type': 'application/oauth-authz-req+jwt',
      'Cache-Control': 'no-store',
    });
  }
}

/** Where wallets post their answer (OpenID4VP 1.0 §8.2). */
@Controller('openid4vp/:variant/:handle/response')
@PublicEndpoint()
@UseFilters(WalletErrorFilter)
export class ResponseEndpoint {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  async receive(
    @Param('variant') variant: string,
    @Param('handle') handle: string,
    @Body() body: RawBody,
  ): Promise<HttpReply> {
    const command = new ReceiveResponse(variantOf(variant), handle, formParameters(body));
    const { redirectUri } = await this.commands.execute(command);
    const answer = redirectUri === undefined ? {} : { redirect_uri: redirectUri };
    return new HttpReply(200, answer, { 'Cache-Control': 'no-store' });
  }
}

function variantOf(name: string): RequestVariant {
  const variant = REQUEST_VARIANTS.find((known) => known === name);
  if (!variant) throw notFound();
  return variant;
}

function notFound(): OAuthError {
  return new OAuthError('invalid_request', 'There is no open authorization request at this address.', { status: 404 });
}
