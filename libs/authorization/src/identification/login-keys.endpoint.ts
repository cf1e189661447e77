import { HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get } from '@nestjs/common';
import { LoginKeys } from './login-keys';

/** Where the OpenID provider reads the keys of this service, its client (RFC 7591 §2, `jwks_uri`). */
@Controller('authorize/login')
@PublicEndpoint('people')
export class LoginKeysEndpoint {
  constructor(private readonly keys: LoginKeys) {}

  @Get('jwks.json')
  jwks(): HttpReply {
    return new HttpReply(200, this.keys.published(), { 'Cache-Control': 'public, max-age=60' });
  }
}
