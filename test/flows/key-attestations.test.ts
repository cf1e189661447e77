import { type Authority, certify, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { claims, prepareOffer } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { contentOf } from '../support/wallets/credentials';
import { collect, credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { type Holder, newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom, openSession, requestCredential, type Session } from '../support/wallets/wallet';

const day = 24 * 60 * 60 * 1000;
const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
const root = certify({ name: 'attesters', isAuthority: true, ...validity });
const attester = certify({ name: 'attester', issuer: root, isAuthority: false, ...validity });
const elsewhere = certify({ name: 'other attesters', isAuthority: true, ...validity });
const stranger = certify({ name: 'stranger', issuer: elsewhere, isAuthority: false, ...validity });

const directory = mkdtempSync(join(tmpdir(), 'attesters-'));
const pem = ({ certificate }: Authority): string => certificate.toString();
writeFileSync(join(directory, 'attesters.pem'), pem(root));
writeFileSync(join(directory, 'attesters.yaml'), 'name: Wallets of Example\npurposes: [key-attester]\n');
// Trusted, and not for this.
writeFileSync(join(directory, 'issuers.pem'), pem(elsewhere));
writeFileSync(join(directory, 'issuers.yaml'), 'purposes: [issuer, wallet-provider]\n');

const required = { keyStorage: ['iso_18045_high'] };
let service: RunningService;
let templateId: string;
beforeAll(async () => {
  service = await startService({
    SERVICE__TRUST__ANCHORS: directory,
    SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'reject',
  });
  templateId = await published({ keyAttestationsRequired: required });
});
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

async function published(changes: Json = {}): Promise<string> {
  const template = { title: 'Identity', format: 'dc+sd-jwt', schema: { type: 'object' }, status: 'Published' };
  return String(
    answered(201, await postJson(`${service.url}/v0/templates`, { ...template, ...changes }))['templateId'],
  );
}
async function session(template = templateId): Promise<{ wallet: Session; credentialId: string }> {
  const { link, credentialIds } = await prepareOffer(service.url, [template]);
  return { wallet: await openSession(link), credentialId: credentialIds[0] ?? '' };
}

interface Attested {
  readonly header?: Json;
  readonly payload?: Json;
  readonly by?: Authority;
}
/** A member set to `undefined` is left out. */
function attestation(keys: readonly Holder[], nonce: string | undefined, changes: Attested = {}): string {
  const { by = attester } = changes;
  const seconds = Math.floor(Date.now() / 1000);
  const attested_keys = keys.map(({ jwk }) => jwk);
  const payload = { iat: seconds, exp: seconds + 300, attested_keys, key_storage: required.keyStorage, nonce };
  const merged = (base: Json, change: Json = {}) => JSON.parse(JSON.stringify({ ...base, ...change })) as never;
  const header = merged({ typ: 'key-attestation+jwt', x5c: x5c(by) }, changes.header);
  return signBy(by)(header, merged(payload, changes.payload));
}
const asProof = async (wallet: Session, keys: readonly Holder[], changes: Attested & { nonce?: string } = {}) => {
  const nonce = changes.nonce ?? (await nonceFrom(wallet.offer.issuer));
  return requestCredential(wallet, { body: { proofs: { attestation: [attestation(keys, nonce, changes)] } } });
};
const inHeader = (wallet: Session, holders: readonly Holder[], key_attestation: unknown, nonce?: string) =>
  requestCredential(wallet, { holders, proof: { header: { key_attestation } }, ...(nonce !== undefined && { nonce }) });

describe('a template that requires attested keys', () => {
  it('says so in the metadata, by both proof types', async () => {
    const { wallet } = await session();
    const configurations = wallet.metadata['credential_configurations_supported'] as Record<string, Json>;
    const wanted = { key_attestations_required: { key_storage: required.keyStorage } };
    expect(configurations[templateId]?.['proof_types_supported']).toMatchObject({ jwt: wanted, attestation: wanted });
    const other = await published();
    const plain = (await session(other)).wallet.metadata[
      'credential_configurations_supported'
    ] as typeof configurations;
    expect(Object.keys(plain[other]?.['proof_types_supported'] as Json)).toEqual(['jwt']);
    expect((await get(`${service.url}/v0/templates/${templateId}`)).json).toMatchObject({
      keyAttestationsRequired: required,
    });
  });

  it.each([
    ['a text', 'high', '/keyAttestationsRequired'],
    ['an empty list', { keyStorage: [] }, '/keyAttestationsRequired/keyStorage'],
    ['an unknown member', { storage: ['high'] }, '/keyAttestationsRequired/storage'],
  ])('is refused with %s', async (_, keyAttestationsRequired, pointer) => {
    const body = { title: 'x', format: 'dc+sd-jwt', schema: { type: 'object' }, keyAttestationsRequired };
    const reply = await postJson(`${service.url}/v0/templates`, body);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer }]);
  });

  it('issues to the key of a proof whose header has the attestation, and keeps who attested it', async () => {
    const { wallet, credentialId } = await session();
    const holder = newHolder();
    expect(
      credentialsOf(answered(200, await inHeader(wallet, [holder], attestation([holder], undefined)))),
    ).toHaveLength(1);
    const { json } = await get(`${service.url}/v0/credentials/${credentialId}`);
    expect(json['keyAttestations']).toEqual([
      {
        attester: 'Wallets of Example',
        certificateThumbprint: expect.stringMatching(/^[\w-]{43}$/) as unknown,
        keyStorage: required.keyStorage,
      },
    ]);
  });

  it('issues one credential for each key of an attestation that is itself the proof', async () => {
    const { wallet } = await session();
    const holders = [newHolder(), newHolder('EdDSA')];
    const credentials = credentialsOf(answered(200, await asProof(wallet, holders)));
    const bound = credentials.map((one) => ((contentOf(one).payload['cnf'] as Json)['jwk'] as Json)['x']);
    expect(bound).toEqual(holders.map(({ jwk }) => jwk.x));
  });

  it.each<[string, (keys: readonly Holder[]) => Json]>([
    ['names its key by an index', () => ({ jwk: undefined, kid: '0' })],
    ['names its key by thumbprint', ([key]) => ({ jwk: undefined, kid: thumbprintOf(key?.jwk ?? {}) })],
    ['has its key', () => ({})],
  ])('issues one credential for each attested key when one proof %s', async (_, naming) => {
    const { wallet } = await session();
    const holders = [newHolder(), newHolder('EdDSA'), newHolder()];
    const header = { key_attestation: attestation(holders, undefined), ...naming(holders) };
    const reply = await requestCredential(wallet, { holders: holders.slice(0, 1), proof: { header } });
    const bound = credentialsOf(answered(200, reply)).map(
      (one) => ((contentOf(one).payload['cnf'] as Json)['jwk'] as Json)['x'],
    );
    expect(bound).toEqual(holders.map(({ jwk }) => jwk.x));
  });

  it('issues to the keys that are proved when each has its proof, and to one where a wallet knows no more', async () => {
    const [first, second, third] = [newHolder(), newHolder(), newHolder()];
    const attested = attestation([first, second, third], undefined);
    const each = await inHeader((await session()).wallet, [first, third], attested);
    expect(credentialsOf(answered(200, each))).toHaveLength(2);
    const wallet = await openSession((await prepareOffer(service.url, [templateId])).link, 'F-single');
    const single = await inHeader(wallet, [second], attested);
    expect(credentialsOf(answered(200, single))).toHaveLength(1);
  });

  it('issues to one key where no attestation is required, which nobody has judged then', async () => {
    const { wallet } = await session(await published());
    const holders = [newHolder(), newHolder()];
    const header = { jwk: undefined, kid: '0', key_attestation: attestation(holders, undefined, { by: stranger }) };
    const reply = await requestCredential(wallet, { holders: holders.slice(0, 1), proof: { header } });
    expect(credentialsOf(answered(200, reply))).toHaveLength(1);
  });

  it('issues what names a person to none but their attested key', async () => {
    const [erika, other] = [newHolder('ES256', 'did:jwk'), newHolder()];
    const credential = { credentialSubject: { ...claims, id: erika.did } };
    const wallet = await openSession((await prepareOffer(service.url, [templateId], {}, { credential })).link);
    for (const keys of [[other], [erika, other]]) {
      expectRefusal(await asProof(wallet, keys), 400, 'credential_request_denied');
    }
    expectRefusal(
      await inHeader(wallet, [other], attestation([erika, other], undefined)),
      400,
      'credential_request_denied',
    );
    expect(credentialsOf(answered(200, await asProof(wallet, [erika])))).toHaveLength(1);
  });

  it('keeps who attested the keys of a wallet that had to wait', async () => {
    const { offerId, link } = await deferredOffer(service.url, [templateId]);
    const wallet = await openSession(link);
    const { transaction_id } = answered(202, await asProof(wallet, [newHolder()]));
    answered(201, await submit(service.url, { offerId, templateId, credential: { credentialSubject: claims } }));
    answered(200, await collect(wallet, transaction_id));
    expect(await credentialsOfOffer(service.url, offerId)).toMatchObject([
      { keyAttestations: [{ attester: 'Wallets of Example' }] },
    ]);
  });

  it('accepts an attestation once', async () => {
    const nonce = await nonceFrom((await session()).wallet.offer.issuer);
    const holders = [newHolder()];
    answered(200, await asProof((await session()).wallet, holders, { nonce }));
    expectRefusal(await asProof((await session()).wallet, holders, { nonce }), 400, 'invalid_nonce');
  });
});

describe('where attested keys are required, a request is refused', () => {
  let wallet: Session;
  let credentialId: string;
  beforeAll(async () => {
    ({ wallet, credentialId } = await session());
  });
  const holder = newHolder();

  it.each<[string, () => unknown, Json?]>([
    ['without attestation', () => undefined],
    ['with an attestation that is no text', () => ({ attested: true })],
    ['with the attestation of an unknown attester', () => attestation([holder], undefined, { by: certifiedNowhere() })],
    ['with an attester of another purpose', () => attestation([holder], undefined, { by: stranger })],
    ['with a broken signature', () => `${attestation([holder], undefined).slice(0, -8)}AAAAAAAA`],
    ['with an attestation of another type', () => attestation([holder], undefined, { header: { typ: 'JWT' } })],
    ['with an attestation that has expired', () => attestation([holder], undefined, { payload: { exp: 1 } })],
    ['with an attestation without end', () => attestation([holder], undefined, { payload: { exp: undefined } })],
    ['with a kid that is no index into the attested keys', () => attestation([holder], undefined), { kid: '1' }],
    ['with the kid of another attested key', () => attestation([newHolder(), holder], undefined), { kid: '0' }],
    [
      'with an index into unknown attested keys',
      () => attestation([holder], undefined, { by: stranger }),
      { kid: '0' },
    ],
    ['with an attestation of other keys', () => attestation([newHolder()], undefined)],
    [
      'with an attestation of a lower level',
      () => attestation([holder], undefined, { payload: { key_storage: ['x'] } }),
    ],
    ['with an attestation of no keys', () => attestation([], undefined)],
    [
      'with an attestation of eleven keys',
      () =>
        attestation(
          Array.from({ length: 11 }, () => newHolder()),
          undefined,
        ),
    ],
    ['with an attestation of one key twice', () => attestation([holder, holder], undefined)],
    [
      'with a status that nobody publishes',
      () => attestation([holder], undefined, { payload: { status: unknownStatus } }),
    ],
    [
      'with a status of its key storage that nobody publishes',
      () => attestation([holder], undefined, { payload: { key_storage_status: { status: unknownStatus } } }),
    ],
    [
      'with a status of its key storage that is malformed',
      () => attestation([holder], undefined, { payload: { key_storage_status: unknownStatus } }),
    ],
  ])('%s', async (_, made, naming = {}) => {
    const header = { key_attestation: made(), ...('kid' in naming && { jwk: undefined }), ...naming };
    expectRefusal(await requestCredential(wallet, { holders: [holder], proof: { header } }), 400, 'invalid_proof');
  });

  it('with an attestation as proof that has no nonce', async () => {
    expectRefusal(await asProof(wallet, [holder], { payload: { nonce: undefined } }), 400, 'invalid_proof');
  });

  it('with an attestation that has another nonce than the proof, or one that was never issued', async () => {
    const nonce = await nonceFrom(wallet.offer.issuer);
    expectRefusal(await inHeader(wallet, [holder], attestation([holder], nonce)), 400, 'invalid_nonce');
    expectRefusal(await asProof(wallet, [holder], { nonce: 'invented' }), 400, 'invalid_nonce');
  });

  it('with an attestation as proof where the keys need none', async () => {
    const other = await session(await published());
    expectRefusal(await asProof(other.wallet, [holder]), 400, 'invalid_proof');
  });

  it('and the credential is still there for a request as it has to be', async () => {
    expect((await get(`${service.url}/v0/credentials/${credentialId}`)).json).toMatchObject({ status: 'Prepared' });
    const nonce = await nonceFrom(wallet.offer.issuer);
    answered(200, await inHeader(wallet, [holder], attestation([holder], nonce), nonce));
  });
});

const unknownStatus = { status_list: { idx: 0, uri: 'https://attester.invalid/list' } };

function certifiedNowhere(): Authority {
  return certify({
    name: 'attester',
    issuer: certify({ name: 'attesters', isAuthority: true, ...validity }),
    ...validity,
  });
}
