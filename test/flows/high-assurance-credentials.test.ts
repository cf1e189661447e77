import { ConfigurationsOfScope } from '@app/templates';
import { QueryBus } from '@nestjs/cqrs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from '../../examples/wallet';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { claims, prepareOffer } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { readSdJwt } from '../support/wallets/credentials';
import { newEncryptionPair, opened, requestEncrypted } from '../support/wallets/encryption';
import { newHolder } from '../support/wallets/key-proofs';
import { authorizedSession } from '../support/wallets/authorized';
import { collect, deferredOffer, submit } from '../support/wallets/deferred';
import { credentialsOf, openSession, readMetadata, requestCredential, type Session } from '../support/wallets/wallet';

const service = serviceOfFile({ SERVICE__ISSUANCE__ENCRYPTION: 'required' });

const template = { title: 'Student card', format: 'dc+sd-jwt', schema: { type: 'object' } };
async function created(changes: Json = {}): Promise<string> {
  return String(
    answered(201, await postJson(`${service.url}/v0/templates`, { ...template, ...changes }))['templateId'],
  );
}

describe('the scope of a template', () => {
  const scopeOf = async (id: string) => {
    const metadata = await readMetadata(`${service.url}/openid4vci`, 'final');
    return (metadata['credential_configurations_supported'] as Record<string, Json>)[id]?.['scope'];
  };
  const ofScopes = (...scopes: string[]) => service.app.get(QueryBus).execute(new ConfigurationsOfScope(scopes));

  it('is its id until another is given; templates of one scope are found together while they are published', async () => {
    const [own, one, other, draft] = [
      await created({ status: 'Published' }),
      await created({ status: 'Published', scope: 'student' }),
      await created({ status: 'Published', scope: 'student', format: 'jwt_vc_json' }),
      await created({ scope: 'student' }),
    ];
    expect([await scopeOf(own), await scopeOf(one), await scopeOf(draft)]).toEqual([own, 'student', undefined]);
    expect((await get(`${service.url}/v0/credential_configurations/${one}`)).json).toMatchObject({ scope: 'student' });
    expect([...(await ofScopes('student', own, 'unknown', 'student'))].sort()).toEqual([own, one, other].sort());
    expect(await ofScopes('unknown', draft)).toEqual([]);
    answered(
      200,
      await send(`${service.url}/v0/templates/${one}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ scope: null }),
      }),
    );
    expect([await scopeOf(one), await ofScopes('student')]).toEqual([one, [other]]);
  });

  it.each(['two words', '', 'a"b', 'a\\b', 'ü', 'x'.repeat(129)])('%j is refused', async (scope) => {
    const reply = await postJson(`${service.url}/v0/templates`, { ...template, scope });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer: '/scope' }]);
  });
});

describe('where every credential is encrypted', () => {
  it('the metadata says so, and a wallet that asks for none is refused, of whichever generation', async () => {
    for (const shape of ['F', 'L13'] as const) {
      const wallet = await openSession((await prepareOffer(service.url)).link, shape);
      expectRefusal(await requestCredential(wallet), 400, 'invalid_encryption_parameters');
      expect(wallet.metadata['credential_response_encryption']).toMatchObject({ encryption_required: true });
      expectRefusal(await collect(wallet, 'unknown'), 400, 'invalid_encryption_parameters');
    }
  });

  it('the development wallet receives what it has to wait for, also by a pre-authorized code', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wallet-'));
    const templateId = await created({ status: 'Published' });
    const { offerId, link } = await deferredOffer(service.url, [templateId]);
    const pause = async () => {
      const credential = { credentialSubject: claims };
      answered(201, await submit(service.url, { offerId, templateId, credential }));
    };
    const wallet = new Wallet({ file: join(folder, 'wallet.json'), pause });
    expect(await wallet.receive(link, { wait: true })).toMatchObject([{ claims }]);
    await rm(folder, { recursive: true });
  });
});

describe('a credential whose template names no issuer', () => {
  const received = async (wallet: Session): Promise<Json> => {
    const pair = newEncryptionPair();
    const body = { credential_response_encryption: pair.asked };
    const reply = await requestEncrypted(wallet, { body });
    expect(reply.status).toBe(200);
    const [credential = ''] = credentialsOf((await opened(pair, reply.text)).body);
    const { header, payload } = readSdJwt(credential);
    return { iss: payload['iss'], x5c: header['x5c'] };
  };

  it('carries the certificate of the issuer when it was asked for by authorization code, as HAIP wants it', async () => {
    const id = await created({ status: 'Published' });
    const person = { source: 'development', claims: { given_name: 'Ada' } } as const;
    expect(await received(await authorizedSession(service, [id], person))).toEqual({
      iss: `${service.url}/openid4vci`,
      x5c: [expect.any(String)],
    });
    const { link } = await prepareOffer(service.url, [id]);
    expect(await received(await openSession(link))).toEqual({ iss: expect.stringMatching(/^did:jwk:/) as unknown });
  });
});

describe('the credentials of a batch', () => {
  it('have one dataset, and each its own key, salts and place in the status list; their times are rounded', async () => {
    const id = await created({
      status: 'Published',
      revocable: true,
      expiration: 'P30D',
      issuerIdentifier: 'https',
      schema: { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } },
    });
    const { link } = await prepareOffer(service.url, [id]);
    const holders = Array.from({ length: 5 }, () => newHolder());
    const pair = newEncryptionPair();
    const body = { credential_response_encryption: pair.asked };
    const reply = await requestEncrypted(await openSession(link), { holders, body });
    const batch = credentialsOf((await opened(pair, reply.text)).body).map(readSdJwt);
    expect(batch.map(({ payload }) => ((payload['cnf'] as Json)['jwk'] as Json)['x'])).toEqual(
      holders.map(({ jwk }) => jwk.x),
    );
    const day = 24 * 60 * 60;
    for (const { header, payload } of batch) {
      expect([Number(payload['iat']) % day, Number(payload['exp']) % day]).toEqual([0, 0]);
      expect(header['x5c']).toEqual([expect.any(String)]);
    }
    const entries = batch.map(({ payload }) => (payload['status'] as Json)['status_list'] as Json);
    expect(new Set(entries.map(({ uri }) => uri)).size).toBe(1);
    expect(new Set(entries.map(({ idx }) => idx)).size).toBe(5);
    const salts = batch.flatMap(({ disclosures }) => disclosures.map(saltOf));
    expect(new Set(salts).size).toBe(5 * Object.keys(claims).length);
    for (const { claims: read } of batch) expect(read).toMatchObject(claims);
  });
});

function saltOf(disclosure: string): unknown {
  return (JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as unknown[])[0];
}
