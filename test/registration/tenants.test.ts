import { certify } from '@app/credentials/fixtures/certificates';
import { CertificateInstallation, ownNames } from '@app/identity';
import { CertificateKeys, KeyRing } from '@app/keys';
import { inTenant } from '@app/primitives/context';
import { issuerAt, party, pid, Registrar, verifierAt } from '@app/registration/fixtures/registrar';
import { TenantRegistry } from '@app/tenants/src/tenant-registry';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { ask, receiveRequest } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';

const registrar = new Registrar();
const ever = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-01-01T00:00:00Z') };
const accessAuthority = certify({ name: 'access', isAuthority: true, keyUsage: 0x04, ...ever });
const seconds = Math.floor(Date.now() / 1000);
const [a, b] = ['town-a', 'town-b'];

let folder: string;
let service: RunningService;
const at = (tenant: string): string => `${service.url}/t/${tenant}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registration-tenants-'));
  await writeFile(join(folder, 'registrar.pem'), registrar.root.certificate.toString());
  await writeFile(join(folder, 'registrar.yaml'), 'purposes: [registrar]\n');
  service = await startService({
    SERVICE__VERIFICATION__CLIENT_ID_PREFIX: 'x509_hash',
    SERVICE__TRUST__ANCHORS: folder,
  });
  for (const tenantId of [a, b]) {
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
  }
  for (const use of ['requests', 'metadata'] as const) await installFor(a, use);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** An access certificate of the party, for a tenant alone. */
async function installFor(tenantId: string, use: 'requests' | 'metadata'): Promise<void> {
  const { app } = service;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = { dnsNames: ['127.0.0.1'], party: { organization: 'Example', identifier: party } };
  const leaf = certify({ name: use, issuer: accessAuthority, publicKey, keyUsage: 0x80, ...names, ...ever });
  const chain = [leaf, accessAuthority].map(({ certificate }) => certificate.toString()).join('');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const tenant = await app.get(TenantRegistry).byId(tenantId);
  const installation = new CertificateInstallation(
    app.get(KeyRing),
    app.get(CertificateKeys),
    ownNames(at(tenantId)),
    'none',
  );
  await inTenant(tenant, () => installation.installWithKey(use, key, chain, new Date()));
}

const certificate = registrar.certificate(verifierAt(seconds));
const dcql_query = {
  credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: [{ path: ['given_name'] }] }],
};
const sentBy = async (url: string): Promise<unknown> =>
  (await receiveRequest(await ask(url, { dcql_query }))).parameters['verifier_info'];
const registeredAt = async (url: string): Promise<unknown[]> =>
  (answered(200, await get(`${url}/v0/registration_certificates`))['items'] as Json[]).map(({ state }) => state);

describe('a registration certificate of a tenant', () => {
  it('is about the party of its own access certificate', async () => {
    const path = 'v0/registration_certificates';
    for (const url of [at(b), service.url]) {
      const refused = await postJson(`${url}/${path}`, { certificate });
      expectProblem(refused, 422, 'registration-certificate-not-accepted');
      expect(refused.text).toContain('no access certificate for requests that names a party');
    }
    expect(answered(201, await postJson(`${at(a)}/${path}`, { certificate }))).toMatchObject({ state: 'valid' });
    const issuer = registrar.certificate(issuerAt(seconds, 'urn:card'));
    answered(201, await postJson(`${at(a)}/${path}`, { certificate: issuer }));
    expect([await registeredAt(at(a)), await registeredAt(at(b)), await registeredAt(service.url)]).toEqual([
      ['valid', 'valid'],
      [],
      [],
    ]);
  });

  it('goes with requests and metadata of the tenant, and with those of nobody else', async () => {
    const entry = { format: 'registration_cert', data: certificate };
    expect([await sentBy(at(a)), await sentBy(at(b)), await sentBy(service.url)]).toEqual([
      [entry],
      undefined,
      undefined,
    ]);
    // As after a start, or at a replica that has not worked for the tenant yet.
    service.app.get(TenantRegistry).forget(a);
    expect(await sentBy(at(a))).toEqual([entry]);
    const beyond = { credentials: [{ ...dcql_query.credentials[0], claims: [{ path: ['birthdate'] }] }] };
    const refused = await postJson(`${at(a)}/v0/authorization_requests`, { dcql_query: beyond });
    expectProblem(refused, 422, 'request-not-registered');
    await ask(at(b), { dcql_query: beyond });
    const documents = await Promise.all(
      [`/t/${a}`, `/t/${b}`, ''].map((path) =>
        get(`${service.url}/.well-known/openid-credential-issuer${path}/openid4vci`),
      ),
    );
    expect(documents.map((document) => 'issuer_info' in answered(200, document))).toEqual([true, false, false]);
  });
});
