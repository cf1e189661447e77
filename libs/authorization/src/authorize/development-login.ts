import { Pages } from '@app/pages';
import type { HttpReply } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { loginPage } from './authorize-page';
import type { AuthorizationPage, IdentificationMethod } from './identification-method';

/** A form that believes anything, for development. */
@Injectable()
export class DevelopmentLogin implements IdentificationMethod {
  constructor(private readonly pages: Pages) {}

  begin(page: AuthorizationPage): Awaitable<HttpReply> {
    const { headers } = page.session;
    return this.pages.page(page.request, (visit) => ({ ...loginPage(visit, page.form('login')), headers }));
  }
}
