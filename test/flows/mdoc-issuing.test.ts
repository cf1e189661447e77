import { developmentClaims } from '@app/templates';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { authorizedSession } from '../support/wallets/authorized';
import { deferredOffer, submit } from '../support/wallets/deferred';
import { newDpopKey } from '../support/wallets/dpop';
import { issuerKeyIn, jweFor, newEncryptionPair, opened, sendJwt } from '../support/wallets/encryption';
import { newHolder } from '../support/wallets/key-proofs';
import { documentRoot, readMdoc } from '../support/wallets/mdoc-reader';
import { tokenWallet } from '../support/wallets/token-wallet';
import {
  credentialsOf,
  openSession,
  readMetadata,
  receive,
  requestClasses,
  requestCredential,
} from '../support/wallets/wallet';

const service = serviceOfFile();
const folder = join(__dirname, '../../examples/templates');
const day = 24 * 60 * 60 * 1000;

interface Example extends Json {
  readonly templateId: string;
  readonly doctype: string;
  readonly schema: { readonly examples: readonly [Json]; readonly properties: Json; readonly required: string[] };
}

function example(name: string): Example {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Example;
}

const licence = example('mobile-driving-licence');
const nameSpace = 'org.iso.18013.5.1';
const mandatory = [
  'family_name',
  'given_name',
  'birth_date',
  'issue_date',
  'expiry_date',
  'issuing_country',
  'issuing_authority',
  'document_number',
  'portrait',
  'driving_privileges',
  'un_distinguishing_sign',
];

let root: X509Certificate;
beforeAll(async () => {
  root = await documentRoot(service.url);
  for (const name of readdirSync(folder)) {
    const template = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Example;
    answered(201, await postJson(`${service.url}/v0/templates`, { ...template, status: 'Published' }));
  }
});

async function offered({ templateId, schema }: Example): Promise<string> {
  const credential = { credential: { credentialSubject: schema.examples[0] } };
  return (await prepareOffer(service.url, [templateId], {}, credential)).link;
}

/** As a library reads dates, and bytes. */
function read(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (one instanceof Uint8Array ? Buffer.from(one).toString('base64') : one)),
  );
}

describe('a template of mdocs', () => {
  it.each(readdirSync(folder).map((name) => name.replace('.json', '')))(
    'that is ready made issues what an independent library reads: %s',
    async (name) => {
      const template = example(name);
      const holder = newHolder();
      const [credential = ''] = await receive(await offered(template), 'F', { holders: [holder] });
      const mdoc = await readMdoc(credential, root);
      expect(mdoc.docType).toBe(template.doctype);
      expect(mdoc.deviceKey).toMatchObject(holder.jwk);
      for (const [space, elements] of Object.entries(template.schema.examples[0])) {
        expect(Object.keys(mdoc.claims(space))).toEqual(Object.keys(elements as Json));
      }
    },
  );

  it('has every element that a driving licence must have', () => {
    const { required } = licence.schema.properties[nameSpace] as { required: string[] };
    expect(required).toEqual(mandatory);
  });

  it('says of what type it is', async () => {
    const template = answered(200, await get(`${service.url}/v0/templates/${licence.templateId}`));
    const members = { format: 'mso_mdoc', doctype: licence.doctype, dataModel: 'mdoc', expectedUpdate: 'P30D' };
    expect(template).toMatchObject(members);
    const path = `/v0/credential_configurations/${licence.templateId}`;
    expect(answered(200, await get(service.url + path))).toMatchObject(members);
  });
});

describe('an mdoc', () => {
  it('has the elements as they were submitted, in their types', async () => {
    const [credential = ''] = await receive(await offered(licence));
    const claims = (await readMdoc(credential, root)).claims(nameSpace);
    const { portrait, portrait_capture_date: taken, driving_privileges: privileges } = claims;
    expect(portrait).toBeInstanceOf(Uint8Array);
    expect(taken).toEqual(new Date('2026-01-10T09:30:00Z'));
    expect(read([...((privileges as Map<string, unknown>[])[0]?.entries() ?? [])])).toContainEqual([
      'vehicle_category_code',
      'B',
    ]);
    expect(read(claims)).toMatchObject({ family_name: 'Mustermann', height: 168, age_over_18: true });
  });

  it('is another one for each key of a batch: nothing in two of them is the same but the data and the day', async () => {
    const holders = [newHolder(), newHolder()];
    const credentials = await receive(await offered(licence), 'F', { holders });
    const mdocs = await Promise.all(credentials.map((one) => readMdoc(one, root)));
    expect(mdocs.map(({ deviceKey }) => deviceKey)).toMatchObject(holders.map(({ jwk }) => jwk));
    const [one, other] = mdocs;
    if (!one || !other) throw new Error('there are two');
    expect(new Set([...one.randoms, ...other.randoms]).size).toBe(one.randoms.length + other.randoms.length);
    expect(one.digestIds).not.toEqual(other.digestIds);
    expect(one.validity).toEqual(other.validity);
    expect(one.status).not.toEqual(other.status);
    expect(one.status).toMatchObject({ uri: expect.stringContaining(`${service.url}/`) as string });
    const { signed, validFrom, validUntil, expectedUpdate } = one.validity;
    expect(validFrom).toEqual(signed);
    expect(validUntil.getTime() % day).toBe(0);
    expect(expectedUpdate?.getTime()).toBeLessThanOrEqual(validUntil.getTime() - 59 * day);
    const signer = new X509Certificate(one.x5chain[0] ?? Buffer.of());
    expect(one.x5chain).toHaveLength(1);
    expect(signed.getTime()).toBeGreaterThanOrEqual(Date.parse(signer.validFrom));
  });

  it('is not given twice for one key', async () => {
    const holder = newHolder();
    const reply = await requestCredential(await openSession(await offered(licence)), { holders: [holder, holder] });
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_proof']);
  });

  it.each(requestClasses.filter((one) => one !== 'L11'))(
    'is given to wallets of every generation: %s',
    async (requestClass) => {
      const [credential = ''] = await receive(await offered(licence), requestClass);
      expect((await readMdoc(credential, root)).docType).toBe(licence.doctype);
    },
  );

  it('is given for an authorization code, with the claims of the login in its elements', async () => {
    const claims = {
      [`/${nameSpace}/given_name`]: 'login:/given_name',
      [`/${nameSpace}/birth_date`]: 'login:/birthdate',
    };
    const elements = { given_name: { type: 'string' }, birth_date: { type: 'string', format: 'date' } };
    const schema = { type: 'object', properties: { [nameSpace]: { type: 'object', properties: elements } } };
    for (const [changes, known] of [
      [{ claims }, { given_name: 'Ada', birth_date: '1990-01-01' }],
      // Without sources the claims of the development login have the names of elements.
      [{}, { given_name: 'Ada' }],
    ] as const) {
      const id = await publishedTemplate(service.url, {
        format: 'mso_mdoc',
        vct: undefined,
        doctype: 'card',
        schema,
        ...changes,
      });
      const session = await authorizedSession(service, [id], {
        source: 'development',
        claims: developmentClaims('ada'),
      });
      const [credential = ''] = credentialsOf(answered(200, await requestCredential(session)));
      expect(read((await readMdoc(credential, root)).claims(nameSpace))).toEqual(known);
    }
  });

  it('is given later when its data come later, and encrypted to a wallet that asks for that', async () => {
    const { offerId, link } = await deferredOffer(service.url, [licence.templateId]);
    const session = await openSession(link);
    const holder = newHolder();
    const { transaction_id: id } = answered(202, await requestCredential(session, { holders: [holder] }));
    const data = { credential: { credentialSubject: licence.schema.examples[0] } };
    const submitted = await submit(service.url, { offerId, credentialConfigurationId: licence.templateId, ...data });
    answered(201, submitted);
    const pair = newEncryptionPair();
    const body = { transaction_id: id, credential_response_encryption: pair.asked };
    const jwe = await jweFor(issuerKeyIn(session.metadata), JSON.stringify(body));
    const reply = await sendJwt(session, jwe, 'deferred_credential_endpoint');
    const [credential = ''] = credentialsOf((await opened(pair, reply.text)).body);
    expect((await readMdoc(credential, root)).deviceKey).toMatchObject(holder.jwk);
  });

  it('is given again for other keys of a wallet whose token is bound to a key', async () => {
    const wallet = await tokenWallet(await offered(licence), newDpopKey());
    const first = answered(200, await wallet.ask([newHolder()]));
    const notified = { notification_id: first['notification_id'], event: 'credential_accepted' };
    answered(204, await wallet.send('notification', notified));
    const again = answered(200, await wallet.ask([newHolder(), newHolder()]));
    const mdocs = await Promise.all([first, again].flatMap(credentialsOf).map((one) => readMdoc(one, root)));
    expect(new Set(mdocs.map(({ status }) => JSON.stringify(status))).size).toBe(3);
    expect(new Set(mdocs.flatMap(({ randoms }) => randoms)).size).toBe(mdocs.flatMap(({ randoms }) => randoms).length);
  });

  it('can be revoked', async () => {
    const credential = { credential: { credentialSubject: licence.schema.examples[0] } };
    const { link, credentialIds } = await prepareOffer(service.url, [licence.templateId], {}, credential);
    await receive(link);
    const [id = ''] = credentialIds;
    answered(204, await postJson(`${service.url}/v0/credentials/${id}/revoke`, {}));
    expect(answered(200, await get(`${service.url}/v0/credentials/${id}`))).toMatchObject({ validity: 'Revoked' });
  });

  it('is signed by the key that the credential names', async () => {
    const credential = { credential: { credentialSubject: licence.schema.examples[0] } };
    const { link, credentialIds } = await prepareOffer(service.url, [licence.templateId], {}, credential);
    await receive(link);
    const [id = ''] = credentialIds;
    const shown = answered(200, await get(`${service.url}/v0/credentials/${id}`));
    expect(shown).toMatchObject({ format: 'mso_mdoc', signingKeyId: expect.stringMatching(/^[\w-]{43}$/) as string });
  });
});

describe('the metadata of an issuer of mdocs', () => {
  const configurationIn = async (generation: 'final' | 'draft-13') => {
    const metadata = await readMetadata(`${service.url}/openid4vci`, generation);
    return (metadata['credential_configurations_supported'] as Record<string, Json>)[licence.templateId] ?? {};
  };

  it('have the members of 1.0', async () => {
    const configuration = await configurationIn('final');
    expect(configuration).toMatchObject({
      format: 'mso_mdoc',
      doctype: licence.doctype,
      cryptographic_binding_methods_supported: ['cose_key'],
      credential_signing_alg_values_supported: [-7, -9],
      proof_types_supported: {
        jwt: { proof_signing_alg_values_supported: expect.arrayContaining(['ES256']) as string[] },
      },
    });
    const { claims } = configuration['credential_metadata'] as { claims: Json[] };
    expect(claims[0]).toEqual({
      path: [nameSpace, 'family_name'],
      mandatory: true,
      display: [{ name: 'Family name' }],
    });
    expect(claims.filter(({ mandatory: is }) => is === true)).toHaveLength(mandatory.length);
  });

  it('have the members of drafts', async () => {
    const configuration = await configurationIn('draft-13');
    expect(configuration).toMatchObject({
      format: 'mso_mdoc',
      doctype: licence.doctype,
      cryptographic_binding_methods_supported: ['cose_key'],
      credential_signing_alg_values_supported: ['ES256'],
      claims: { [nameSpace]: { given_name: { mandatory: true, display: [{ name: 'Given names' }] } } },
    });
  });
});

describe('a template of mdocs is refused', () => {
  const schema = {
    type: 'object',
    properties: { 'example.1': { type: 'object', properties: { name: { type: 'string' } } } },
  };
  const template = { title: 'Card', format: 'mso_mdoc', doctype: 'example.card.1', schema };
  const elementOf = (element: Json): Json => ({
    schema: { type: 'object', properties: { 'example.1': { type: 'object', properties: { name: element } } } },
  });

  it.each<[string, Json, string]>([
    ['without a doctype', { doctype: undefined }, '/doctype'],
    ['with an empty doctype', { doctype: '' }, '/doctype'],
    ['when its credentials never expire', { expiration: 'never' }, '/expiration'],
    ['with a type of another format', { vct: 'https://card.example' }, '/vct'],
    ['when the date of an update is no duration', { expectedUpdate: '2027-01-01' }, '/expectedUpdate'],
  ])('%s', async (_, changes, pointer) => {
    const reply = await postJson(`${service.url}/v0/templates`, { ...template, ...changes });
    expectProblem(reply, 400, 'validation-failed', 'Validation Failed');
    expect(reply.json['violations']).toMatchObject([{ pointer }]);
  });

  it.each<[string, Json, string]>([
    ['an element without a type', elementOf({}), '/schema/properties/example.1/properties/name'],
    [
      'an element of two types',
      elementOf({ type: ['string', 'integer'] }),
      '/schema/properties/example.1/properties/name',
    ],
    [
      'bytes in an encoding that is not known',
      elementOf({ type: 'string', contentEncoding: 'quoted-printable' }),
      '/schema/properties/example.1/properties/name/contentEncoding',
    ],
    [
      'claims without a name space',
      { schema: { type: 'object', properties: { given_name: { type: 'string' } } } },
      '/schema/properties/given_name',
    ],
    ['no element', { schema: { type: 'object' } }, '/schema'],
  ])('whose schema names %s', async (_, changes, pointer) => {
    const reply = await postJson(`${service.url}/v0/templates`, { ...template, ...changes });
    expectProblem(reply, 400, 'invalid-template-schema', 'Invalid Template Schema');
    expect(reply.json['violations']).toMatchObject([{ pointer }]);
  });

  it('when a change leaves it without what it needs', async () => {
    const { templateId } = answered(201, await postJson(`${service.url}/v0/templates`, template));
    const change = (body: Json) =>
      send(`${service.url}/v0/templates/${String(templateId)}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await change({ expiration: 'never' })).json['violations']).toMatchObject([{ pointer: '/expiration' }]);
    expect((await change({ doctype: null })).json['violations']).toMatchObject([{ pointer: '/doctype' }]);
    expect((await change(elementOf({ type: 'array' }))).json['violations']).toMatchObject([
      { pointer: '/schema/properties/example.1/properties/name/items' },
    ]);
    answered(200, await change({ title: 'Other', expectedUpdate: null }));
  });
});

describe('data that do not fit the schema of an mdoc', () => {
  it.each<[string, Json, string]>([
    ['a date that does not exist', { birth_date: '1986-02-30' }, '/birth_date'],
    ['a text in place of bytes', { portrait: 'data:image/jpeg;base64,/9j/4A==' }, '/portrait'],
    ['a text in place of an integer', { height: '168' }, '/height'],
    ['an element without a type', { shoe_size: 39 }, '/shoe_size'],
    [
      'a date inside a list',
      { driving_privileges: [{ vehicle_category_code: 'B', issue_date: 'soon' }] },
      '/driving_privileges/0/issue_date',
    ],
  ])('are refused by name: %s', async (_, changes, place) => {
    const { offerId } = await prepareOffer(service.url, []);
    const [example] = licence.schema.examples;
    const credentialSubject = { [nameSpace]: { ...(example[nameSpace] as Json), ...changes } };
    const reply = await postJson(`${service.url}/v0/credentials`, {
      offerId,
      credentialConfigurationId: licence.templateId,
      credential: { credentialSubject },
    });
    expect(reply.status).toBe(400);
    const pointers = (reply.json['violations'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers).toEqual([`/credential/credentialSubject/${nameSpace}${place}`]);
    expect(reply.text).not.toContain('1986-02-30');
  });
});
