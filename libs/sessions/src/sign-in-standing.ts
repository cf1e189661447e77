import { Settings } from '@app/config';
import { currentTenant } from '@app/primitives/context';
import { Injectable, NotFoundException } from '@nestjs/common';

/** Whether people sign in at the issuer at hand. */
@Injectable()
export class SignInStanding {
  constructor(private readonly settings: Settings) {}

  get isOffered(): boolean {
    const { openid } = this.settings.console;
    // Of a provider that says nothing of tenants, nobody may enter one.
    return openid.issuer !== '' && (currentTenant() === undefined || openid.tenantsClaim !== '');
  }

  /** Where nobody signs in, these addresses do not exist. */
  assertOffered(): void {
    if (!this.isOffered) throw new NotFoundException();
  }
}
