import { Settings } from '@app/config';
import { currentTenant, inTenant } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';

/** Where browsers find the console of the issuer at hand. */
@Injectable()
export class ConsoleAddress {
  constructor(private readonly settings: Settings) {}

  /** Without a slash at the end. */
  get base(): string {
    const tenant = currentTenant();
    const managementUrl = inTenant(undefined, () => this.settings.management.url).replace(/\/+$/u, '');
    if (managementUrl === '') return this.settings.applicationUrl.replace(/\/+$/u, '');
    return tenant === undefined ? managementUrl : `${managementUrl}/t/${tenant.id}`;
  }

  get origin(): string {
    return new URL(this.base).origin;
  }

  /** @param place in the page, without the number sign */
  page(place = ''): string {
    return `${this.base}/console${place === '' ? '' : `#${place}`}`;
  }
}
