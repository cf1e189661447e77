import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import type { AttestationStatuses, OwnCertificates, TrustAnchors } from '@app/identity';
import { Metrics } from '@app/observability';
import { parseDcqlQuery } from '@app/openid4vc';
import { Tenants } from '@app/primitives/context';
import { issuerAt, party, pid, Registrar, verifierAt } from '../fixtures/registrar';
import { OwnRegistrations } from './own-registrations';
import type { StoredCertificate, StoredCertificateEvent } from './sources/stored-certificate';

const seconds = Math.floor(Date.now() / 1000);
const registrar = new Registrar();
const query = parseDcqlQuery({
  credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: [{ path: ['given_name'] }] }],
});

/** @param stored certificates of the management API; undefined while the database does not answer */
async function registrations(stored: () => readonly string[] | undefined, changes: object = {}) {
  const settings = new Settings();
  Object.assign(settings.registration, changes);
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
    {} as unknown as AttestationStatuses,
    { list } as unknown as Repository<StoredCertificate, StoredCertificateEvent>,
    new Metrics(),
    new Tenants(),
  );
  await own.reload();
  return own;
}

const entry = (data: string) => ({ format: 'registration_cert', data });

describe('the registration certificates of the service', () => {
  it('are sent as the setting says', async () => {
    const jwt = registrar.certificate(verifierAt(seconds));
    const compact = await registrations(() => [jwt]);
    expect(compact.forRequest(query, undefined).entries).toEqual([entry(jwt)]);
    const encoded = await registrations(() => [jwt], { encoding: 'base64url' });
    expect(encoded.forRequest(query, undefined).entries).toEqual([entry(Buffer.from(jwt).toString('base64url'))]);
  });

  it('come with what the registry has of them where the setting says so', async () => {
    const registry = {
      registry_uri: 'https://registry.example',
      srv_description: [[{ lang: 'en', value: 'A library' }]],
      privacy_policy: 'https://library.example/privacy',
    };
    const identifier = [{ type: 'http://data.europa.eu/eudi/id/VATIN', identifier: party }];
    const common = {
      identifier,
      srvDescription: [{ lang: 'en', content: 'A library' }],
      registryURI: 'https://registry.example',
    };
    const verifier = registrar.certificate(verifierAt(seconds, registry));
    const issuer = registrar.certificate(issuerAt(seconds, 'urn:a', registry));
    const own = await registrations(() => [verifier, issuer], { dataset: true });
    const asked = {
      ...common,
      intendedUseIdentifier: 'library-card',
      purpose: [{ lang: 'en', content: 'To open an account.' }],
      policyURI: 'https://library.example/privacy',
    };
    expect(own.forRequest(query, undefined).entries).toEqual([
      entry(verifier),
      { format: 'registrar_dataset', data: asked },
    ]);
    const issued = { ...common, providesAttestations: [{ format: 'dc+sd-jwt', type: 'urn:a' }] };
    expect(own.issuerInfo()).toEqual([entry(issuer), { format: 'registrar_dataset', data: issued }]);
    const unnamed = registrar.certificate(verifierAt(seconds));
    const alone = await registrations(() => [unnamed], { dataset: true });
    expect(alone.forRequest(query, undefined).entries).toEqual([entry(unnamed)]);
  });

  it('go with a request that was made before as long as they are there and valid', async () => {
    const [one, other] = [seconds - 60, seconds - 120].map((iat) =>
      registrar.certificate(verifierAt(seconds, { iat })),
    );
    let stored = [one ?? ''];
    const own = await registrations(() => stored);
    const { entries = [] } = own.forRequest(query, undefined);
    const encoded = [entry(Buffer.from(one ?? '').toString('base64url'))];
    expect([own.areSent(entries), own.areSent(encoded), own.areSent([])]).toEqual([true, true, true]);
    stored = [other ?? ''];
    await own.reload();
    expect(own.areSent(entries)).toBe(false);
  });

  it('list nothing that may be issued where the registrar has listed nothing', async () => {
    const own = await registrations(() => [
      registrar.certificate(issuerAt(seconds, 'urn:a', { provides_attestations: undefined })),
    ]);
    expect(own.attestations()).toEqual([]);
  });

  it('are the latest of an intended use, and of the issuer', async () => {
    const [older, newer] = [seconds - 86_400, seconds - 60].map((iat) =>
      registrar.certificate(verifierAt(seconds, { iat })),
    );
    const issuers = [seconds - 60, seconds - 86_400].map((iat) =>
      registrar.certificate(issuerAt(seconds, 'urn:a', { iat })),
    );
    const own = await registrations(() => [newer ?? '', older ?? '', ...issuers]);
    expect(own.forRequest(query, 'library-card').entries).toEqual([entry(newer ?? '')]);
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
