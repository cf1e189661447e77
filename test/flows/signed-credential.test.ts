import { answered, get, type Json, postJson, type Reply } from '../support/requests';
import { prepareOffer, publishedTemplate } from '../support/requests-portal';
import { type RunningService, startService } from '../support/service';
import { receive } from '../support/wallet';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (header: Json, payload: Json): string => `${encode(header)}.${encode(payload)}.c2lnbmF0dXJl`;
const w3c = jwt({ typ: 'JWT', alg: 'ES256' }, { vc: { type: ['VerifiableCredential'] }, iss: 'did:example:other' });
const sdJwt = `${jwt({ typ: 'dc+sd-jwt', alg: 'ES256' }, { vct: 'https://other.example/card' })}~WyJzIiwiYSIsMV0~`;

async function handIn(credential: unknown, changes: Json = {}): Promise<Reply> {
  const { offerId } = await prepareOffer(service.url, []);
  return postJson(`${service.url}/v0/credentials`, {
    offerId,
    credentialConfigurationId: 'w3c_vc_credential',
    credential,
    ...changes,
  });
}

describe('a credential that was signed elsewhere', () => {
  it('reaches the wallet as it is, in both formats', async () => {
    const card = await publishedTemplate(service.url);
    for (const [configuration, credential] of [
      ['w3c_vc_credential', w3c],
      [card, sdJwt],
    ] as const) {
      const prepared = await prepareOffer(service.url, [configuration], {}, { credential, isSigned: true });
      expect(await receive(prepared.link)).toEqual([credential]);
      const read = answered(200, await get(`${service.url}/v0/credentials/${prepared.credentialIds[0] ?? ''}`));
      expect(read).toMatchObject({ status: 'Issued', credential, expiresAt: 'never' });
    }
  });

  it.each([
    ['plain text', 'hello', 'Invalid Signed Credential Format', 400],
    ['a JWT of two parts', w3c.split('.').slice(0, 2).join('.'), 'Invalid Signed Credential Format', 400],
    ['a JWT without vc', jwt({ typ: 'JWT', alg: 'ES256' }, { iss: 'x' }), 'Invalid Signed Credential Format', 400],
    ['an SD-JWT without its last tilde', sdJwt.slice(0, -1), 'Invalid Signed Credential Format', 400],
    ['an SD-JWT for a W3C configuration', sdJwt, 'Signed Credential Format Mismatch', 422],
  ])('is refused as %s', async (_name, credential, title, status) => {
    expect((await handIn(credential)).json).toMatchObject({ title, status });
  });

  it('must agree with isSigned and carries its own expiry', async () => {
    expect((await handIn(w3c, { isSigned: false })).json).toMatchObject({ title: 'Invalid Credential Type' });
    expect((await handIn({ credentialSubject: {} }, { isSigned: true })).json).toMatchObject({
      title: 'Invalid Credential Type',
    });
    expect((await handIn(w3c, { expiresAt: 'never' })).json).toMatchObject({ title: 'Invalid Expiration Date' });
  });
});
