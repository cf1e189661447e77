import { issuerAt, party, Registrar, verifierAt } from '@app/registration/fixtures/registrar';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRegistration } from '../../apps/cli/src/doctor/registration-check';

const now = new Date('2026-11-28T12:00:00Z');
const seconds = now.getTime() / 1000;
const registrar = new Registrar();
const anchors = [registrar.anchor];
const cardType = 'https://cards.example/library';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'registration-check-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const put = (name: string, text: string): void => {
  writeFileSync(join(folder, name), text);
};
const examined = (metadata = {}, path = folder) => checkRegistration(path, {}, { anchors }, { metadata }, now);

/** Metadata that offer two types more than are registered. */
const offering = (encode = (jwt: string) => jwt, more: Record<string, unknown> = {}) => ({
  issuer_info: [
    { format: 'registrar_dataset', data: {} },
    { format: 'registration_cert', data: encode(registrar.certificate(issuerAt(seconds, cardType, more))) },
  ],
  credential_configurations_supported: {
    card: { format: 'dc+sd-jwt', vct: cardType },
    badge: { format: 'jwt_vc_json', credential_definition: { type: ['VerifiableCredential', 'Badge'] } },
    licence: { format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' },
  },
});

describe('the doctor', () => {
  it('says nothing of registration where there is none', async () => {
    expect(await examined({}, '')).toMatchObject({ outcome: 'ok', found: 'no registration certificates' });
    expect(
      await examined({ credential_configurations_supported: { a: { format: 'dc+sd-jwt', vct: 'b' } } }),
    ).toMatchObject({ outcome: 'ok' });
  });

  it('names templates that are not registered, as wallets read the metadata', async () => {
    for (const encode of [undefined, (jwt: string) => Buffer.from(jwt).toString('base64url')]) {
      expect(await examined(offering(encode))).toMatchObject({
        outcome: 'warn',
        found: 'offered without being registered: badge, licence',
      });
    }
  });

  it('names all templates where the certificate of the issuer lists nothing', async () => {
    for (const listed of [undefined, []]) {
      expect(await examined(offering(undefined, { provides_attestations: listed }))).toMatchObject({
        outcome: 'warn',
        found: 'offered without being registered: card, badge, licence',
      });
    }
  });

  it('examines those of the management API in the same way, and compares their party with the access certificate', async () => {
    const ending = registrar.certificate(verifierAt(seconds, { exp: seconds + 7 * 24 * 3600 }));
    const certificates = new Map([['8c1e7d0e', ending]]);
    const of = (own?: { party: () => string | undefined }) =>
      checkRegistration('', { certificates, ...(own && { own }) }, { anchors }, { metadata: {} }, now);
    expect(await of()).toMatchObject({ outcome: 'warn', found: 'ends within 30 days: 8c1e7d0e' });
    expect(await of({ party: () => party })).toMatchObject({ outcome: 'warn' });
    expect(await of({ party: () => 'VATDE-1' })).toMatchObject({
      outcome: 'fail',
      found: `8c1e7d0e: another party, ${party}, than the access certificate for requests`,
    });
  });

  it('finds a file that cannot be sent, and one that ends soon', async () => {
    put('library.jwt', registrar.certificate(verifierAt(seconds, { exp: seconds + 7 * 24 * 3600 })));
    put('README.md', 'Who asked for which.');
    expect(await examined()).toMatchObject({ outcome: 'warn', found: 'ends within 30 days: library.jwt' });
    put('library.jwt', registrar.certificate(verifierAt(seconds, { exp: seconds + 60 * 24 * 3600 })));
    expect(await examined()).toMatchObject({ outcome: 'ok', found: '1 certificate' });
    put('other.jwt', new Registrar('other').certificate(verifierAt(seconds)));
    expect(await examined()).toMatchObject({
      outcome: 'fail',
      found: 'other.jwt: the certificate chain leads to no trust anchor',
    });
    expect(await examined({}, join(folder, 'none'))).toMatchObject({ outcome: 'fail' });
  });
});
