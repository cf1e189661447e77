import type { Identification } from '@app/templates';
import type { HttpReply } from '@app/web';
import { Injectable } from '@nestjs/common';
import { OpenIdLogin } from '../identification/openid-login';
import { PresentationInPage } from '../identification/presentation-in-page';
import { DevelopmentLogin } from './development-login';
import type { Identifying } from './identification';
import type { AuthorizationPage, IdentificationMethod } from './identification-method';

/** The ways to find out who a person is, by name. */
@Injectable()
export class IdentificationMethods {
  private readonly methods: Readonly<Partial<Record<Identification, IdentificationMethod>>>;

  constructor(development: DevelopmentLogin, openid: OpenIdLogin, presentation: PresentationInPage) {
    this.methods = { development, openid, presentation };
  }

  begin({ method, presentation }: Identifying, page: AuthorizationPage): Promise<HttpReply> {
    const found = this.methods[method];
    if (!found) throw new Error(`There is no identification by ${method}.`);
    return found.begin(page, presentation);
  }
}
