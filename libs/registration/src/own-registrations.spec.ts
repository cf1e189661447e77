import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import type { OwnCertificates, TrustAnchors } from '@app/identity';
import { Metrics } from '@app/observability';
import { parseDcqlQuery } from '@app/openid4vc';
import { issuerAt, party, pid, Registrar, verifierAt } from '../fixtures/registrar';
import { OwnRegistrations } from './own-registrations';
import type { RegistrationStatuses } from './sources/registration-statuses';
import type { StoredCertificate, StoredCertificateEvent } from './sources/stored-certificate';

const seconds = Math.floor(Date.now() / 1000);
const registrar = new Registrar();
const query = parseDcqlQuery({
  credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: [{ path: ['given_name'] }] }],
});

/** @param stored certificates of the management API; undefined while the database does not answer */
async function registrations(stored: () => readonly string[] | undefined, encoding = 'compact') {
  const settings = new Settings();
  Object.assign(settings.registration, { encoding });
  const list = () => {
    const certificates = stored();
    if (!certificates) return Promise.reject(new Error('down'));
    const items = certificates.map((certificate) => ({ id: certificate.slice(-8), state: { certificate } }));
    return Promise.resolve({ items });
  };
  const own = new OwnRegistrations(
    settings,
    { party: () => party } as unknown as OwnCertificates,
    { find: () => [registrar.anchor], onChange: () => undefined } as unknown as TrustAnchors,
    {
      of: () => ({ status: 'none' }),
      look: () => Promise.resolve(false),
      forget: () => undefined,
    } as unknown as RegistrationStatuses,
    { list } as unknown as Repository<StoredCertificate, StoredCertificateEvent>,
    new Metrics(),
  );
  await own.reload();
  return own;
}

const entry = (data: string) => ({ format: 'registration_cert', data });

describe('the registration certificates of the service', () => {
  it('are sent as the setting says', async () => {
    const jwt = registrar.certificate(verifierAt(seconds));
    const compact = await registrations(() => [jwt]);
    expect(compact.forRequest(query, undefined).entry).toEqual(entry(jwt));
    const encoded = await registrations(() => [jwt], 'base64url');
    expect(encoded.forRequest(query, undefined).entry).toEqual(entry(Buffer.from(jwt).toString('base64url')));
  });

  it('are the latest of an intended use, and of the issuer', async () => {
    const [older, newer] = [seconds - 86_400, seconds - 60].map((iat) =>
      registrar.certificate(verifierAt(seconds, { iat })),
    );
    const issuers = [seconds - 60, seconds - 86_400].map((iat) =>
      registrar.certificate(issuerAt(seconds, 'urn:a', { iat })),
    );
    const own = await registrations(() => [newer ?? '', older ?? '', ...issuers]);
    expect(own.forRequest(query, 'library-card').entry).toEqual(entry(newer ?? ''));
    expect(own.issuerInfo()).toEqual([entry(issuers[0] ?? '')]);
    expect(own.attestations()).toEqual([{ format: 'dc+sd-jwt', types: [['urn:a']] }]);
  });

  it('stand while the database does not answer', async () => {
    let stored: readonly string[] | undefined = [registrar.certificate(verifierAt(seconds))];
    const own = await registrations(() => stored);
    stored = undefined;
    await own.reload();
    expect(own.all()).toMatchObject([{ state: 'valid' }]);
    stored = [];
    await own.reload();
    expect(own.all()).toEqual([]);
  });
});
