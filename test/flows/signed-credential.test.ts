import { answered, get, type Json } from '../support/requests';
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
});
