import { formParameters, LimitBody, RawBody, WalletErrorFilter, HttpReply, PublicEndpoint, StopsWith } from '@app/http';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Body, Controller, HttpCode, Param, Post, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { RequestAddresses } from '../rendering/request-address';
import { ReceiveResponse } from './response.handlers';

/** Where wallets post their answer (OpenID4VP 1.0 §8.2). */
@Controller('openid4vp/:variant/:handle/response')
@PublicEndpoint('wallets')
@StopsWith('all')
@LimitBody('presentation')
@UseFilters(WalletErrorFilter)
export class ResponseEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly addresses: RequestAddresses,
  ) {}

  @Post()
  @HttpCode(200)
  receive(
    @Param('variant') variant: string,
    @Param('handle') handle: string,
    @Body() body: RawBody,
  ): Awaitable<HttpReply> {
    const taken = whenThere(this.addresses.variantOf(variant, handle), (known) =>
      this.commands.execute(new ReceiveResponse(known, handle, () => formParameters(body))),
    );
    return whenThere(taken, ({ redirectUri }) => {
      const answer = redirectUri === undefined ? {} : { redirect_uri: redirectUri };
      return new HttpReply(200, answer, { 'Cache-Control': 'no-store' });
    });
  }
}
