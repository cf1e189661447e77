import { LimitBody, RawBody, walletJson, WalletErrorFilter, HttpReply, PublicEndpoint, StopsWith } from '@app/http';
import { Body, Controller, Options, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FindExpectedOrigins, ReceiveDigitalCredential } from './digital-credential.handlers';
import { noOpenRequest } from '../rendering/request-address';

/**
 * Where pages post what a wallet has answered over the Digital Credentials API: those of the expected origins, and no others.
 */
@Controller('r/:handle/digital_credential')
@PublicEndpoint('people')
@StopsWith('all')
@LimitBody('presentation')
@UseFilters(WalletErrorFilter)
export class DigitalCredentialEndpoint {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** What a browser asks before it lets a page of another origin post JSON. */
  @Options()
  async preflight(
    @Param('handle') handle: string,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<HttpReply> {
    if (!(await this.allowOrigin(handle, request, response))) throw noOpenRequest();
    return new HttpReply(204, undefined, {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Content-Type',
      'Cache-Control': 'no-store',
    });
  }

  @Post()
  async receive(
    @Param('handle') handle: string,
    @Body() body: RawBody,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<HttpReply> {
    await this.allowOrigin(handle, request, response);
    const { origin } = request.headers;
    const command = new ReceiveDigitalCredential(handle, origin, () => walletJson(body, 'invalid_request'));
    const { redirectUri } = await this.commands.execute(command);
    const answer = redirectUri === undefined ? {} : { redirect_uri: redirectUri };
    return new HttpReply(200, answer, { 'Cache-Control': 'no-store' });
  }

  /** Whatever the answer is, the page may read it. */
  private async allowOrigin(handle: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { origin } = request.headers;
    response.setHeader('Vary', 'Origin');
    const expected = await this.queries.execute(new FindExpectedOrigins(handle));
    if (origin === undefined || !expected.includes(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    return true;
  }
}
