import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { ServiceIdentity, WALLET_URLS } from '@app/identity';
import { KeyRing } from '@app/keys';
import type { WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import type { Signing } from './list-token';
import type { Signatory } from './served-list';
import type { ListSigner } from './status-list';

/** In whose name lists are signed: that of the credentials with entries in them. */
@Injectable()
export class ListSigners {
  constructor(
    private readonly settings: Settings,
    private readonly store: EventStore,
    private readonly identity: ServiceIdentity,
    private readonly keys: KeyRing,
    @Inject(WALLET_URLS) readonly urls: WalletUrls,
  ) {}

  signatoryOf({ algorithm }: ListSigner): Signatory {
    return {
      ttl: this.settings.statusLists.ttlSeconds,
      now: () => this.store.clock(),
      keyId: () => this.keys.activeKey(algorithm, 'status').kid,
    };
  }

  /** With the present key: to be asked for again for each signature. */
  signingOf({ identifier, algorithm }: ListSigner): Signing {
    return { identity: this.identity.as(identifier, algorithm, 'status'), urls: this.urls };
  }
}
