import { formParameters, LimitBody, RawBody, WalletErrorFilter, HttpReply, PublicEndpoint, StopsWith } from '@app/http';
import { isOnCurve } from '@app/primitives/jose';
import { parseRequestUriPost, unusableRequestObjectKey } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Body, Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';
import { noOpenRequest, RequestAddresses } from './request-address';
import { type Retrieval, RetrieveRequest } from './request-object.handlers';

/** Where wallets fetch a request object (RFC 9101, OpenID4VP 1.0 §5.10); as often as they like. */
@Controller('openid4vp/:variant/:handle/request')
@PublicEndpoint('wallets')
@StopsWith('all')
@LimitBody('presentation')
@UseFilters(WalletErrorFilter)
export class RequestObjectEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly addresses: RequestAddresses,
  ) {}

  @Get()
  get(
    @Param('variant') variant: string,
    @Param('handle') handle: string,
    @Req() { method }: IncomingMessage,
  ): Awaitable<HttpReply> {
    return this.object(variant, handle, { counts: method !== 'HEAD' });
  }

  @Post()
  post(
    @Param('variant') variant: string,
    @Param('handle') handle: string,
    @Body() body: RawBody,
  ): Awaitable<HttpReply> {
    const { walletNonce, walletMetadata } = parseRequestUriPost(formParameters(body));
    const encryption = walletMetadata?.encryption;
    if (encryption && !isOnCurve(encryption.jwk)) throw unusableRequestObjectKey();
    return this.object(variant, handle, { counts: true, walletNonce, encryption });
  }

  private object(variant: string, handle: string, retrieval: Retrieval): Awaitable<HttpReply> {
    const retrieved = whenThere(this.addresses.variantOf(variant, handle), (known) =>
      this.commands.execute(new RetrieveRequest(known, handle, retrieval)),
    );
    return whenThere(retrieved, (object) => {
      if (object === undefined) throw noOpenRequest();
      return new HttpReply(200, object, {
        'Content-Type': 'application/oauth-authz-req+jwt',
        'Cache-Control': 'no-store',
      });
    });
  }
}
