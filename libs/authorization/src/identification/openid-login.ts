import type { HttpReply } from '@app/http';
import { Injectable } from '@nestjs/common';
import { seeOther } from '../authorize/see-other';
import type { AuthorizationPage, IdentificationMethod } from '../authorize/identification-method';
import { IdentificationStates } from './identification-states';
import { OpenIdProvider } from './openid-provider';

/** The person logs in at the OpenID provider of the settings. */
@Injectable()
export class OpenIdLogin implements IdentificationMethod {
  constructor(
    private readonly provider: OpenIdProvider,
    private readonly states: IdentificationStates,
  ) {}

  async begin({ authorization, session, again }: AuthorizationPage): Promise<HttpReply> {
    const binding = this.states.bindingOf(this.states.issue(authorization, session, again), authorization);
    const { href } = await this.provider.authorizationUrl(binding, again);
    return seeOther(href, session.headers);
  }
}
