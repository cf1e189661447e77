import type { Identification } from '@app/templates';
import type { HttpReply } from '@app/web';
import { Injectable } from '@nestjs/common';
import { OpenIdLogin } from '../identification/openid-login';
import { DevelopmentLogin } from './development-login';
import type { AuthorizationPage, IdentificationMethod } from './identification-method';

/** The ways to find out who a person is, by name. */
@Injectable()
export class IdentificationMethods {
  private readonly methods: Readonly<Partial<Record<Identification, IdentificationMethod>>>;

  constructor(development: DevelopmentLogin, openid: OpenIdLogin) {
    this.methods = { development, openid };
  }

  begin(method: Identification, page: AuthorizationPage): Promise<HttpReply> {
    const found = this.methods[method];
    if (!found) throw new Error(`There is no identification by ${method}.`);
    return found.begin(page);
  }
}
