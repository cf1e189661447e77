import type { CertifiedSigner, OwnCertificates } from '@app/identity';
import type { Settings } from '@app/config';
import { parseDcqlQuery } from '@app/openid4vc';
import { DigitalCredentialRequests } from './digital-credential-requests';
import type { OwnRegistration } from '../question/own-registration';
import type { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms } from '../request/request-terms';

const query = parseDcqlQuery({
  credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['https://credentials.example/card'] } }],
});
const terms: RequestTerms = {
  state: 's1',
  handleSalt: 'c2FsdA',
  responseType: 'vp_token',
  responseMode: 'dc_api',
  clientIdPrefix: 'decentralized_identifier',
  variants: [
    { variant: 'final', nonce: 'n1' },
    { variant: 'dc-api', nonce: 'n2' },
  ],
  unavailable: {},
  expectedOrigins: ['https://shop.example'],
  expiresAt: '2026-11-20T11:00:00.000Z',
  query,
};
const createdAt = new Date('2026-11-20T10:00:00Z');

/** With one certificate, whose signatures show what was signed. */
const signer: Pick<CertifiedSigner, 'fingerprint' | 'sign'> = {
  fingerprint: 'hash',
  sign: (header, payload) => Promise.resolve(JSON.stringify({ header, payload })),
};
const certificates = {
  find: (_use: string, name: string) => Promise.resolve(name === signer.fingerprint ? signer : undefined),
} as unknown as OwnCertificates;
const secrets = { handles: { textOf: () => 'handle' } } as unknown as RequestSecrets;
const registration = { sentWith: () => ({}) } as unknown as OwnRegistration;
const settings = { applicationUrl: 'https://verifier.example/base' } as Settings;
const requests = new DigitalCredentialRequests(certificates, secrets, registration, settings);

async function madeOf(request: RequestTerms) {
  const { digitalCredential, responseUrl } = (await requests.of({ request, createdAt })) ?? {};
  return { made: digitalCredential?.requests ?? [], responseUrl };
}

describe('a request for pages', () => {
  it('is made without a signature where no certificate names the service, and cannot be answered as a signed one', async () => {
    const { made, responseUrl } = await madeOf(terms);
    expect(made.map(({ protocol }) => protocol)).toEqual(['openid4vp-v1-unsigned']);
    expect(requests.protocolsOf(terms)).toEqual(['openid4vp-v1-unsigned']);
    expect(responseUrl).toBe('https://verifier.example/base/r/handle/digital_credential');
  });

  it('is signed in the name of its certificate, for the pages of the expected origins', async () => {
    const named = { ...terms, certificate: 'hash' };
    const { made } = await madeOf(named);
    expect(made.map(({ protocol }) => protocol)).toEqual(['openid4vp-v1-signed', 'openid4vp-v1-unsigned']);
    const [signed, unsigned] = made.map(({ data }) => data);
    expect(JSON.parse(String(signed?.['request']))).toEqual({
      header: { typ: 'oauth-authz-req+jwt' },
      payload: {
        ...unsigned,
        aud: 'https://self-issued.me/v2',
        iat: 1_795_168_800,
        exp: 1_795_172_400,
        client_id: 'x509_hash:hash',
        expected_origins: ['https://shop.example'],
      },
    });
    expect(requests.protocolsOf(named)).toEqual(['openid4vp-v1-signed', 'openid4vp-v1-unsigned']);
  });

  it('loses its signature with the key of its certificate', async () => {
    const { made } = await madeOf({ ...terms, certificate: 'revoked' });
    expect(made.map(({ protocol }) => protocol)).toEqual(['openid4vp-v1-unsigned']);
  });

  it('is none where no page may ask', async () => {
    expect(await requests.of({ request: { ...terms, variants: [] }, createdAt })).toBeUndefined();
  });
});
