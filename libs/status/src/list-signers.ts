import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import type { StatusBitsList as ListBytes } from '@app/credentials';
import { ServiceIdentity, type SigningIdentity, WALLET_URLS } from '@app/identity';
import { KeyRing, type SigningAlgorithm } from '@app/keys';
import type { BitstringPurpose, WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { bitstringCredential, type CwtSigner, type ListValidity, statusListCwt, statusListToken } from './list-token';
import type { KindSigner, Signatory } from './served-list';
import type { ListSigner, ListTerms } from './status-list';

/** The forms of a Status List Token, by the media type of each. */
export const listForms = ['application/statuslist+jwt', 'application/statuslist+cwt'] as const;
export type ListForm = (typeof listForms)[number];

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

  signatory(): Signatory {
    return { ttl: this.settings.statusLists.ttlSeconds, now: () => this.store.clock() };
  }

  /** Who signs a token now: to be asked for again for each signature. Throws `SignerError`. */
  tokenSigner({ listId, identifier, algorithm }: ListTerms, form: ListForm): KindSigner {
    const { urls } = this;
    if (form === 'application/statuslist+jwt') {
      return this.signer({ identifier, algorithm }, (list, validity, identity) =>
        statusListToken(listId, list, validity, { identity, urls }),
      );
    }
    // Readers of ISO 18013-5 want the root of the document signer above it.
    const signer = this.identity.findDocumentSigner(algorithm) ?? this.statusKey(algorithm);
    const { keyId } = signer;
    return { keyId: `cwt-${keyId}`, sign: (list, validity) => statusListCwt(listId, list, validity, signer, urls) };
  }

  bitstringSigner({ listId, ...signer }: ListTerms, purpose: BitstringPurpose): KindSigner {
    return this.signer(signer, (list, validity, identity) =>
      bitstringCredential(listId, purpose, list, validity, { identity, urls: this.urls }),
    );
  }

  private statusKey(algorithm: SigningAlgorithm): CwtSigner {
    const key = this.keys.activeKey(algorithm, 'status');
    return { algorithm, keyId: key.kid, sign: (data) => key.sign(data) };
  }

  private signer(
    { identifier, algorithm }: ListSigner,
    sign: (list: ListBytes, validity: ListValidity, identity: SigningIdentity) => Promise<string>,
  ): KindSigner {
    return {
      keyId: this.keys.activeKey(algorithm, 'status').kid,
      // A list is signed far less often than it is asked for.
      sign: async (list, validity) => sign(list, validity, this.identity.as(identifier, algorithm, 'status')),
    };
  }
}
