import { encodeStatusList } from '@app/credentials';
import { type Authority, certify, type CertificateOptions, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TrustAnchors } from '@app/identity';
import {
  foreignJwtVc,
  foreignSdJwt,
  inSeconds,
  membershipVct,
  presentJwtVc,
  presentSdJwt,
  signJwt,
} from '../support/presenters/credentials';
import { degree, idCard } from '../support/presenters/holdings';
import { type IssuerSite, startIssuerSite } from '../support/presenters/issuer';
import { ask, type Asked, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import { expectCheckFailed } from '../support/presenters/refusals';
import { answered, type Json, postJson } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { newHolder } from '../support/wallets/key-proofs';

// Faults of chains are listed in full with the check (libs/credentials). Here: what wallet and relying party see of
// them, and the way from files to results.

const canary = 'Zwergspitzmaus';
const iss = 'https://issuer.example';
const list = 'https://lists.example/pid';
const ever = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-01-01T00:00:00Z') };
const past = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2021-01-01T00:00:00Z') };
const holder = newHolder('ES256', 'did:jwk');
const byName = newHolder('ES256', 'did:jwk');

const authority = (name: string, changes: Partial<CertificateOptions> = {}): Authority =>
  certify({ name, isAuthority: true, keyUsage: 0x04, ...ever, ...changes });
const root = authority('root', { subjectKeyId: Buffer.from('root') });
const wallets = authority('wallets');
const statuses = authority('statuses');
const others = authority('others');
const listed = authority('listed');
const operator = certify({ name: 'operator', ...ever });
const second = authority('second', { subjectKeyId: Buffer.from('second') });
const foreign = authority('foreign');
const leaf = (changes: Partial<CertificateOptions> = {}): Authority =>
  certify({ name: 'leaf', issuer: root, dnsNames: ['issuer.example'], keyUsage: 0x80, ...ever, ...changes });

const pem = ({ certificate }: Authority): string => certificate.toString();
const aki = (text: string): string => Buffer.from(text).toString('base64url');

let directory: string;
let site: IssuerSite;
let service: RunningService;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'anchors-'));
  const files = {
    'root.pem': pem(root),
    'root.yaml': `name: Membership root\npurposes: [issuer, status]\nlist: ${list}\n`,
    'wallets.pem': pem(wallets),
    'wallets.yaml': 'purposes: [wallet-provider]\n',
    'statuses.pem': pem(statuses),
    'statuses.yaml': 'purposes: [status]\n',
    'others.pem': pem(others),
    'others.yaml': 'purposes: [issuer]\ntypes: [urn:other]\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  site = await startIssuerSite();
  writeFileSync(join(directory, 'operator.pem.signer'), pem(operator));
  site.pages.set('/lote', { type: 'application/jose', body: listOf('PID/Issuance', listed) });
  service = await startService({
    SERVICE__TRUST__ANCHORS: directory,
    SERVICE__TRUST__LISTS: `${site.url}/lote ${join(directory, 'operator.pem.signer')}`,
    SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'reject',
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: site.host,
  });
});
afterAll(async () => {
  await service.stop();
  await site.stop();
  rmSync(directory, { recursive: true });
});

/** A list of trusted entities (ETSI TS 119 602) with one service. */
function listOf(kind: string, { certificate }: Authority): string {
  const service = {
    ServiceTypeIdentifier: `http://uri.etsi.org/19602/SvcType/${kind}`,
    ServiceDigitalIdentity: { X509Certificates: [{ val: certificate.raw.toString('base64') }] },
  };
  const content = {
    ListAndSchemeInformation: {
      LoTESequenceNumber: 1,
      ListIssueDateTime: '2026-01-01T00:00:00Z',
      NextUpdate: '2049-01-01T00:00:00Z',
    },
    TrustedEntitiesList: [
      {
        TrustedEntityInformation: { TEName: [{ lang: 'en', value: 'Listed provider' }] },
        TrustedEntityServices: [{ ServiceInformation: service }],
      },
    ],
  };
  return signBy(operator)({ typ: 'JOSE' }, { LoTE: content });
}

const signedBy =
  ({ key: { privateKey } }: Authority) =>
  (input: string): Buffer =>
    sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });

/** A credential whose issuer is named by certificates. */
function present(
  received: Received,
  chain: readonly [Authority, ...Authority[]] = [leaf()],
  { header, payload }: { readonly header?: Json; readonly payload?: Json } = {},
): { tokens: { id_card: string } } {
  const credential = foreignSdJwt(byName, holder, {
    claims: { given_name: canary },
    header: { kid: undefined, x5c: x5c(...chain), ...header },
    payload: { iss, ...payload },
    sign: signedBy(chain[0]),
  });
  return { tokens: { id_card: presentSdJwt(credential, holder, received) } };
}

async function asked(query: Json = {}): Promise<[Asked, Received]> {
  const request = await ask(service.url, { dcql_query: { credentials: [{ ...idCard, ...query }] } });
  return [request, await receiveRequest(request)];
}

describe('a credential with certificates', () => {
  const middle = (changes: Partial<CertificateOptions> = {}): Authority =>
    authority('middle', { issuer: root, ...changes });
  const expired = middle(past);
  const noAuthority = certify({ name: 'middle', issuer: root, ...ever, isAuthority: false });
  const short = middle({ pathLength: 0 });
  const below = authority('below', { issuer: short });
  const sameName = authority('root');

  it('is verified, and the result shows which anchor stands behind it', async () => {
    const [request, received] = await asked();
    answered(200, await respond(received, present(received, [leaf({ issuer: short }), short])));
    const result = await resultOf(request);
    expect(result).toMatchObject({ status: 'verified', credentials: [{ issuer: iss, trust: 'trusted' }] });
    expect((result['credentials'] as Json[])[0]?.['trustAnchor']).toEqual({
      name: 'Membership root',
      subject: 'CN=root',
      fingerprint: root.certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    });
  });

  it.each<[string, readonly [Authority, ...Authority[]], RegExp]>([
    ['an expired leaf', [leaf(past)], /expired/],
    ['an expired certificate between', [leaf({ issuer: expired }), expired], /expired/],
    ['a self-signed leaf', [certify({ name: 'self', dnsNames: ['issuer.example'], ...ever })], /self-signed/],
    ['the anchor as leaf', [root], /itself a trust anchor/],
    ['a chain that is too long', [leaf({ issuer: below }), below, short], /longer than allowed/],
    ['one between that is no authority', [leaf({ issuer: noAuthority }), noAuthority], /not an authority/],
    ['a critical extension that nobody knows', [leaf({ unknownCritical: true })], /not understood/],
    ['an authority that only has the name of the anchor', [leaf({ issuer: sameName })], /no trust anchor/],
    ['a leaf of another issuer', [leaf({ dnsNames: ['evil.example'] })], /belongs to another issuer/],
    ['a foreign anchor', [leaf({ issuer: foreign })], /no trust anchor/],
    ['a foreign anchor in the chain', [leaf({ issuer: foreign }), foreign], /no trust anchor/],
    ['an anchor for providers of wallets', [leaf({ issuer: wallets })], /no trust anchor/],
    ['an anchor for status lists', [leaf({ issuer: statuses })], /no trust anchor/],
    ['an anchor for other types', [leaf({ issuer: others })], /not trusted for this type/],
  ])('is rejected with %s', async (_, chain, reason) => {
    const [request, received] = await asked();
    const reply = await respond(received, present(received, chain));
    const failed = { check: 'issuer-key', credentialId: 'id_card', reason };
    await expectCheckFailed(request, received, reply, failed, () => present(received), canary);
  });

  it('is rejected with another signature than that of its leaf', async () => {
    const [request, received] = await asked();
    const reply = await respond(received, present(received, [leaf()], { header: { x5c: x5c(leaf()) } }));
    const failed = { check: 'issuer-signature', credentialId: 'id_card' };
    await expectCheckFailed(request, received, reply, failed, () => present(received), canary);
  });

  it.each<[string, Json]>([
    ['no certificates at all', { x5c: [] }],
    ['a text for certificates', { x5c: 'AAAA' }],
    ['bytes that are no certificate', { x5c: ['AAAA'] }],
  ])('is rejected with %s', async (_, header) => {
    const [request, received] = await asked();
    const reply = await respond(received, present(received, [leaf()], { header }));
    await expectCheckFailed(
      request,
      received,
      reply,
      { check: 'issuer-key', credentialId: 'id_card' },
      () => present(received),
      canary,
    );
  });
});

describe('a query with trusted authorities', () => {
  const withAuthority = (type: string, ...values: string[]): Json => ({ trusted_authorities: [{ type, values }] });

  it.each([
    ['the key identifier of the anchor', withAuthority('aki', aki('root'))],
    ['one of several key identifiers', withAuthority('aki', aki('none'), aki('root'))],
    ['the list that names the anchor', withAuthority('etsi_tl', list)],
  ])('is answered by %s', async (_, query) => {
    const [request, received] = await asked(query);
    const [sent] = (received.parameters['dcql_query'] as { credentials: Json[] }).credentials;
    expect(sent?.['trusted_authorities']).toEqual(query['trusted_authorities']);
    answered(200, await respond(received, present(received)));
    expect(await resultOf(request)).toMatchObject({ status: 'verified' });
    expect(request.answer['warnings']).toBeUndefined();
  });

  it.each([
    ['aki', aki('root')],
    ['etsi_tl', list],
  ])('of the type %s is not answered by another chain', async (type, value) => {
    writeFileSync(join(directory, 'second.pem'), pem(second));
    await service.app.get(TrustAnchors).reload();
    const [request, received] = await asked(withAuthority(type, value));
    const reply = await respond(received, present(received, [leaf({ issuer: second })]));
    const reason = /trusted authority that the query names/;
    const failed = { check: 'trusted-authorities', credentialId: 'id_card', reason };
    await expectCheckFailed(request, received, reply, failed, () => present(received), canary);
  });

  it('is not answered by a credential without certificates', async () => {
    const [request, received] = await asked(withAuthority('aki', aki('root')));
    const token = foreignSdJwt(byName, holder, { claims: { given_name: canary } });
    const reply = await respond(received, { tokens: { id_card: presentSdJwt(token, holder, received) } });
    const failed = { check: 'trusted-authorities', credentialId: 'id_card' };
    await expectCheckFailed(request, received, reply, failed, () => present(received), canary);
  });

  it('is answered by an authority of a list of trusted entities that is read from the web', async () => {
    const [request, received] = await asked(withAuthority('etsi_tl', `${site.url}/lote`));
    answered(200, await respond(received, present(received, [leaf({ issuer: listed })])));
    expect(await resultOf(request)).toMatchObject({ credentials: [{ trustAnchor: { name: 'Listed provider' } }] });
  });

  it('gets a warning when no anchor names the list', async () => {
    const [{ answer }] = await asked(withAuthority('etsi_tl', 'https://lists.example/unknown'));
    expect(answer['warnings']).toEqual([expect.stringContaining('https://lists.example/unknown')]);
  });

  it('is refused for federations, which nothing here resolves', async () => {
    const credentials = [{ ...idCard, ...withAuthority('openid_federation', 'https://federation.example') }];
    const reply = await postJson(`${service.url}/v0/authorization_requests`, { dcql_query: { credentials } });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.json)).toContain('aki and etsi_tl are');
  });
});

describe('a status list with certificates', () => {
  function published(name: string, chain: readonly [Authority, ...Authority[]], changes: Json = {}): Json {
    const uri = `${site.url}/status/${name}`;
    const status_list = encodeStatusList(1, 8, []);
    const payload = { sub: uri, iat: inSeconds(-10), exp: inSeconds(600), status_list, ...changes };
    const header = { typ: 'statuslist+jwt', x5c: x5c(...chain) };
    const body = signJwt(header, payload, byName, { sign: signedBy(chain[0]) });
    site.pages.set(`/status/${name}`, { type: 'application/statuslist+jwt', body });
    return { status: { status_list: { idx: 3, uri } } };
  }

  it.each<[string, Authority]>([
    ['issuer', leaf()],
    ['provider', leaf({ issuer: statuses, dnsNames: ['status.example'] })],
  ])('is checked when it is signed for the %s', async (name, signer) => {
    const [request, received] = await asked();
    const payload = published(name, [signer]);
    answered(200, await respond(received, present(received, [leaf()], { payload })));
    expect(await resultOf(request)).toMatchObject({ credentials: [{ status: 'valid' }] });
  });

  it('is not remembered beyond the trust in those who signed it', async () => {
    const former = authority('former');
    writeFileSync(join(directory, 'former.pem'), pem(former));
    writeFileSync(join(directory, 'former.yaml'), 'purposes: [status]\n');
    await service.app.get(TrustAnchors).reload();
    const payload = published('former', [leaf({ issuer: former, dnsNames: [] })]);
    const answerWithStatus = async (): Promise<number> => {
      const [, received] = await asked();
      return (await respond(received, present(received, [leaf()], { payload }))).status;
    };
    expect(await answerWithStatus()).toBe(200);
    rmSync(join(directory, 'former.pem'));
    rmSync(join(directory, 'former.yaml'));
    await service.app.get(TrustAnchors).reload();
    expect(await answerWithStatus()).toBe(400);
  });

  it.each<[string, Authority, Json, RegExp]>([
    ['of a foreign anchor', leaf({ issuer: foreign }), {}, /no trust anchor/],
    ['of an anchor for providers of wallets', leaf({ issuer: wallets }), {}, /no trust anchor/],
    ['of another issuer', leaf({ dnsNames: ['evil.example'] }), {}, /neither the issuer nor the host/],
    ['with an expired certificate', leaf(past), {}, /expired/],
    ['about another address', leaf(), { sub: 'https://issuer.example/status/1' }, /another list/],
    ['that has expired', leaf(), { exp: inSeconds(-120) }, /expired/],
  ])('%s is no statement', async (what, signer, changes, reason) => {
    const [request, received] = await asked();
    const payload = published(what.replaceAll(' ', '-'), [signer], changes);
    const reply = await respond(received, present(received, [leaf()], { payload }));
    const failed = { check: 'status', credentialId: 'id_card', reason };
    await expectCheckFailed(request, received, reply, failed, () => present(received), canary);
  });
});

describe('a W3C credential with certificates', () => {
  const query = { dcql_query: { credentials: [degree] } };
  const credential = (chain: readonly [Authority, ...Authority[]]): string =>
    foreignJwtVc(byName, holder, {
      header: { kid: undefined, x5c: x5c(...chain) },
      payload: { iss },
      sign: signedBy(chain[0]),
    });

  it.each<[number, string, Authority]>([
    [200, 'an anchor', leaf()],
    [400, 'no anchor', leaf({ issuer: foreign })],
    [400, 'an anchor for other types', leaf({ issuer: others })],
  ])('is answered with %d when the chain leads to %s', async (status, _, signer) => {
    const request = await ask(service.url, query);
    const received = await receiveRequest(request);
    const tokens = { degree: presentJwtVc([credential([signer])], holder, received) };
    expect((await respond(received, { tokens })).status).toBe(status);
    expect(await resultOf(request)).toMatchObject(
      status === 200
        ? { credentials: [{ issuer: iss, trustAnchor: { name: 'Membership root' } }] }
        : { failure: { check: 'issuer-key' } },
    );
  });
});

describe('an anchor', () => {
  it('that is added or withdrawn while the service runs takes effect for the next presentation', async () => {
    const added = authority('added');
    const chain = [leaf({ issuer: added })] as const;
    const [request, received] = await asked();
    expect((await respond(received, present(received, chain))).status).toBe(400);
    writeFileSync(join(directory, 'added.pem'), pem(added));
    writeFileSync(join(directory, 'added.yaml'), `types: [${membershipVct}]\n`);
    await service.app.get(TrustAnchors).reload();
    answered(200, await respond(received, present(received, chain)));
    expect(await resultOf(request)).toMatchObject({ credentials: [{ trustAnchor: { name: 'added' } }] });
    rmSync(join(directory, 'added.pem'));
    rmSync(join(directory, 'added.yaml'));
    await service.app.get(TrustAnchors).reload();
    const [, next] = await asked();
    expect((await respond(next, present(next, chain))).json['error_description']).toContain('no trust anchor');
  });

  it('does not replace the trust in a name, whose keys are looked up as ever', async () => {
    const [request, received] = await asked();
    const token = foreignSdJwt(byName, holder, {});
    answered(200, await respond(received, { tokens: { id_card: presentSdJwt(token, holder, received) } }));
    const { credentials } = await resultOf(request);
    expect((credentials as Json[])[0]).not.toHaveProperty('trustAnchor');
  });
});
