import { closed, eg, text, texts } from '@app/http';

/** What attesters have said of the keys that an issued credential is bound to. */
export const keyAttestations = {
  type: 'array',
  description: 'Of an issued credential whose template requires that the keys of the wallet are attested.',
  items: closed({
    attester: eg('Wallets of Example', { ...text, description: 'Name of the trust anchor.' }),
    certificateThumbprint: { ...text, description: 'SHA-256 of the certificate of the attester, base64url.' },
    'keyStorage?': eg(['iso_18045_high'], texts),
    'userAuthentication?': texts,
  }),
} as const;
