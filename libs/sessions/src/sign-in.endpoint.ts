import { HttpReply, LimitBody, PublicEndpoint, RawBody } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { ConsoleAddress } from './console-address';
import { LogoutTokens } from './logout-tokens';
import { SignInRefused, SignIns } from './sign-ins';
import { SignInStanding } from './sign-in-standing';

/** Where browsers sign in to the console, and where the provider says who has signed out. */
@Controller('console/sign-in')
@PublicEndpoint('management')
export class SignInEndpoint {
  constructor(
    private readonly signIns: SignIns,
    private readonly address: ConsoleAddress,
    private readonly logoutTokens: LogoutTokens,
    private readonly standing: SignInStanding,
  ) {}

  /** What the page asks before anybody is known. */
  @Get('options')
  options(): object {
    return { signIn: this.standing.isOffered };
  }

  @Get('start')
  start(@Req() request: IncomingMessage): Promise<HttpReply> {
    const isAgain = new URLSearchParams(queryOf(request)).has('again');
    return this.leading(async () => this.signIns.begin(request, isAgain));
  }

  @Get('callback')
  callback(@Req() request: IncomingMessage): Promise<HttpReply> {
    return this.leading(async () => {
      const { isAgain, headers } = await this.signIns.comeBack(request, queryOf(request));
      return { location: this.address.page(isAgain ? '/confirmed' : ''), headers };
    });
  }

  /** OpenID Connect Back-Channel Logout 1.0 §2.5. */
  @Post('backchannel-logout')
  @LimitBody('wallet')
  async logout(@Body() body: RawBody): Promise<HttpReply> {
    this.standing.assertOffered();
    const form = body.mediaType === 'application/x-www-form-urlencoded' ? (body.bytes?.toString('utf8') ?? '') : '';
    const isValid = await this.logoutTokens.signOut(new URLSearchParams(form).get('logout_token') ?? '');
    const headers = { 'Cache-Control': 'no-store' };
    if (isValid) return new HttpReply(200, undefined, headers);
    return new HttpReply(
      400,
      { error: 'invalid_request', error_description: 'The logout token is not valid.' },
      headers,
    );
  }

  private async leading(
    work: () => Promise<{ readonly location: string; readonly headers: Readonly<Record<string, string>> }>,
  ): Promise<HttpReply> {
    this.standing.assertOffered();
    try {
      const { location, headers } = await work();
      return seeOther(location, headers);
    } catch (error) {
      if (error instanceof SignInRefused) return seeOther(this.address.page(`/sign-in/${error.fault}`));
      if (error instanceof Problem && error.slug === 'unavailable')
        return seeOther(this.address.page('/sign-in/unavailable'));
      throw error;
    }
  }
}

function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return new HttpReply(303, undefined, { ...headers, Location: location, 'Cache-Control': 'no-store' });
}

function queryOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 2)[1] ?? '';
}
