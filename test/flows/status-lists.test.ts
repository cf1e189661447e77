import { openDriver, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { ProofKeys } from '@app/keys';
import { checkStatusChanges, rebuildStatusChanges } from '@app/status';
import { randomUUID } from 'node:crypto';
import { StatusChanges, unread } from '../../libs/status/src/status-changes';
import { toldChanges } from '../../libs/status/src/told-changes';
import { eventually } from '../event-store/accounts';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { storedEvents } from '../support/database/stored-rows';
import { statusTeller } from '../support/database/told-statuses';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { bitstringPurposesOf, tokenStatus } from '../support/verifiers/status-readers';
import { readJwt } from '../support/wallets/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, openSession, receive, requestCredential } from '../support/wallets/wallet';

// Of its own: a transaction of another test would hold up what is read of events, on whichever database of the server.
let server: TestPostgres;
const service = serviceOfFile(async () => {
  server = await startPostgres();
  return {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await server.createDatabase(),
  };
});
afterAll(() => server.stop());

let templates: Readonly<Record<'dc+sd-jwt' | 'jwt_vc_json', string>>;
beforeAll(async () => {
  templates = {
    'dc+sd-jwt': await publishedTemplate(service.url, { revocable: true }),
    jwt_vc_json: await publishedTemplate(service.url, { revocable: true, format: 'jwt_vc_json', vct: undefined }),
  };
});

type Format = keyof typeof templates;

/** A credential that a wallet has fetched, with its id at the portal. */
async function issued(format: Format = 'dc+sd-jwt'): Promise<{ readonly credential: string; readonly id: string }> {
  const { link, credentialIds } = await prepareOffer(service.url, [templates[format]]);
  const [credential = ''] = await receive(link);
  return { credential, id: credentialIds[0] ?? '' };
}

function change(id: string, what: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Reply> {
  return postJson(`${service.url}/v0/credentials/${id}/${what}`, body, headers);
}

const view = async (id: string): Promise<Json> => answered(200, await get(`${service.url}/v0/credentials/${id}`));

/** Of the payload of the JWT in the credential. */
function referenceIn(credential: string): { readonly uri: string; readonly idx: number } {
  const { status } = readJwt(credential.split('~')[0] ?? '').payload as {
    status: { status_list: { uri: string; idx: number } };
  };
  return status.status_list;
}

const accept = { accept: 'application/statuslist+jwt' };

describe.each<Format>(['dc+sd-jwt', 'jwt_vc_json'])('a revocable credential (%s)', (format) => {
  it('is suspended, reinstated and revoked for readers that are not ours', async () => {
    const { credential, id } = await issued(format);
    const reads = async (value: number, purposes: readonly string[]): Promise<boolean> => {
      if ((await tokenStatus(credential)) !== value) return false;
      if (format === 'jwt_vc_json') expect(await bitstringPurposesOf(credential)).toEqual(purposes);
      return true;
    };
    expect(await reads(0, [])).toBe(true);
    expect(await view(id)).toMatchObject({ validity: 'Valid' });
    for (const [what, value, purposes, validity] of [
      ['suspend', 2, ['suspension'], 'Suspended'],
      ['reinstate', 0, [], 'Valid'],
      ['suspend', 2, ['suspension'], 'Suspended'],
      ['revoke', 1, ['revocation'], 'Revoked'],
    ] as const) {
      expect((await change(id, what, { reason: 'A test.' })).status).toBe(204);
      expect(await view(id)).toMatchObject({ status: 'Issued', validity });
      await eventually(() => reads(value, purposes));
    }
  });

  it('has an entry of its own for each key, and the same one when it is issued again', async () => {
    const { link, credentialIds } = await prepareOffer(service.url, [templates[format]]);
    const session = await openSession(link);
    const holders = Array.from({ length: 4 }, () => newHolder());
    const places = async (keys: typeof holders) =>
      credentialsOf(answered(200, await requestCredential(session, { holders: keys }))).map(referenceIn);
    const first = await places(holders);
    expect(new Set(first.map(({ idx }) => idx)).size).toBe(4);
    expect(await places(holders.toReversed())).toEqual(first.toReversed());
    expect((await change(credentialIds[0] ?? '', 'revoke')).status).toBe(204);
    const [one] = first;
    const listed = async () => {
      const { getListFromStatusListJWT } = await import('@owf/token-status-list');
      const list = getListFromStatusListJWT((await send(one?.uri ?? '', { headers: accept })).text);
      return first.every(({ idx }) => list.getStatus(idx) === 1);
    };
    await eventually(listed);
  });
});

describe('a change of the status of a credential', () => {
  it('is recorded once, however often it is asked for, and revocation is final', async () => {
    const { id } = await issued();
    for (const what of ['suspend', 'suspend', 'revoke', 'revoke']) expect((await change(id, what)).status).toBe(204);
    for (const what of ['suspend', 'reinstate']) expectProblem(await change(id, what), 409, 'credential-revoked');
    const types = await storedEvents(service, `credential-${id}`);
    expect(types).toEqual(['CredentialPrepared', 'CredentialIssued', 'CredentialSuspended', 'CredentialRevoked']);
  });

  it('needs no body, and says what a wrong one lacks', async () => {
    const { id } = await issued();
    const bare = await send(`${service.url}/v0/credentials/${id}/suspend`, { method: 'POST' });
    expect(bare.status).toBe(204);
    const refused = await change(id, 'revoke', { reason: 7, because: '' });
    expectProblem(refused, 400, 'validation-failed');
    expect(refused.json['violations']).toMatchObject([{ pointer: '/because' }, { pointer: '/reason' }]);
    expect(await view(id)).toMatchObject({ validity: 'Suspended' });
  });

  it('happens only to the version that If-Match names', async () => {
    const { id } = await issued();
    expectProblem(await change(id, 'revoke', {}, { 'if-match': '"1"' }), 412, 'version-conflict');
    const { headers } = await get(`${service.url}/v0/credentials/${id}`);
    expect((await change(id, 'revoke', {}, { 'if-match': headers.get('etag') ?? '' })).status).toBe(204);
  });

  it('is refused by name for a credential without a status', async () => {
    expectProblem(await change(randomUUID(), 'revoke'), 404, 'not-found');
    const { credentialIds } = await prepareOffer(service.url, [templates['dc+sd-jwt']]);
    const unfetched = await change(credentialIds[0] ?? '', 'revoke');
    expectProblem(unfetched, 409, 'credential-not-issued');
    expect(unfetched.json['detail']).toContain('No wallet has fetched');
    const other = await prepareOffer(service.url, [quickStart]);
    const [credential = ''] = await receive(other.link);
    expect(readJwt(credential).payload).not.toHaveProperty('status');
    expectProblem(await change(other.credentialIds[0] ?? '', 'revoke'), 422, 'credential-not-revocable');
    expect(await view(other.credentialIds[0] ?? '')).not.toHaveProperty('validity');
  });

  it('has a name that no claim may have beside it', async () => {
    const submitted = { offerId: randomUUID(), templateId: templates['dc+sd-jwt'] };
    const credential = { credentialSubject: { given_name: 'Erika', status: 'valid' } };
    const refused = await postJson(`${service.url}/v0/credentials`, { ...submitted, credential });
    expectProblem(refused, 400, 'invalid-credential-payload');
    expect(refused.json['violations']).toMatchObject([{ pointer: '/credential/credentialSubject/status' }]);
  });

  it('works for many credentials in one request, each on its own', async () => {
    const [one, other] = [await issued(), await issued('jwt_vc_json')];
    const missing = randomUUID();
    const credentialIds = [one.id, missing, other.id, one.id];
    const body = { change: 'revoke', credentialIds, reason: 'The key was lost.' };
    const { items } = answered(200, await postJson(`${service.url}/v0/credentials/status_changes`, body));
    expect(items).toMatchObject([
      { index: 0, credentialId: one.id, status: 204 },
      { index: 1, credentialId: missing, status: 404, problem: { title: 'Not Found' } },
      { index: 2, credentialId: other.id, status: 204 },
      { index: 3, credentialId: one.id, status: 204 },
    ]);
    for (const { id } of [one, other]) expect(await view(id)).toMatchObject({ validity: 'Revoked' });
    await eventually(async () => (await tokenStatus(other.credential)) === 1);
  });

  it.each<[string, unknown]>([
    ['an unknown change', { change: 'delete', credentialIds: ['a'] }],
    ['no ids', { change: 'revoke', credentialIds: [] }],
    ['too many ids', { change: 'revoke', credentialIds: Array.from({ length: 1001 }, String) }],
    ['an id that is no text', { change: 'revoke', credentialIds: [7] }],
  ])('of many is refused as a whole with %s', async (_what, body) => {
    expectProblem(await postJson(`${service.url}/v0/credentials/status_changes`, body), 400, 'validation-failed');
  });
});

describe('a status list', () => {
  it('is served compressed or not, with a tag, for any page, and for as long as its ttl says', async () => {
    const { uri } = referenceIn((await issued()).credential);
    const plain = await send(uri, { headers: { ...accept, 'accept-encoding': 'identity' } });
    expect(plain.status).toBe(200);
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'content-type': 'application/statuslist+jwt',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    const { header, payload } = readJwt(plain.text);
    expect(header).toMatchObject({ typ: 'statuslist+jwt', alg: 'ES256' });
    expect(payload).toMatchObject({ sub: uri, ttl: 300, status_list: { bits: 2 } });
    const tag = plain.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"/);
    const known = await send(uri, { headers: { ...accept, 'if-none-match': tag } });
    expect([known.status, known.text]).toEqual([304, '']);
    const head = await send(uri, { method: 'HEAD', headers: accept });
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
    const compressed = await fetch(uri, { headers: { ...accept, 'accept-encoding': 'gzip' } });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(await compressed.text()).toBe(plain.text);
  });

  it('is signed once for all who ask until something changes', async () => {
    const { credential, id } = await issued();
    const { uri } = referenceIn(credential);
    const tokens = async () => (await Promise.all(Array.from({ length: 20 }, () => send(uri)))).map(({ text }) => text);
    const [before = '', ...others] = await tokens();
    expect(new Set([before, ...others]).size).toBe(1);
    await change(id, 'suspend');
    await eventually(async () => (await send(uri)).text !== before);
  });

  it('is listed where the metadata of the authorization server says', async () => {
    const { uri } = referenceIn((await issued()).credential);
    const metadata = await get(`${service.url}/.well-known/oauth-authorization-server/openid4vci`);
    const { status_list_aggregation_endpoint: lists } = answered(200, metadata);
    await eventually(async () => {
      const { status_lists: uris } = answered(200, await get(String(lists)));
      return (uris as string[]).includes(uri);
    });
  });

  it('answers for a moment in its past', async () => {
    const { credential, id } = await issued();
    const { uri, idx } = referenceIn(credential);
    const { getListFromStatusListJWT } = await import('@owf/token-status-list');
    const at = async (time: number) => {
      const reply = await send(`${uri}?time=${time}`, { headers: accept });
      expect(reply.status).toBe(200);
      const { iat, exp } = readJwt(reply.text).payload as Record<string, number>;
      expect([(iat ?? Infinity) <= time, (exp ?? 0) > time]).toEqual([true, true]);
      return getListFromStatusListJWT(reply.text).getStatus(idx);
    };
    const second = () => Math.floor(Date.now() / 1000);
    const wait = async () => {
      const begin = second();
      await eventually(() => second() > begin);
    };
    const before = second();
    await wait();
    await change(id, 'suspend');
    await eventually(async () => (await tokenStatus(credential)) === 2);
    await wait();
    const between = second();
    await wait();
    await change(id, 'revoke');
    await eventually(async () => (await tokenStatus(credential)) === 1);
    await wait();
    expect([await at(before), await at(between), await at(second())]).toEqual([0, 2, 1]);
  });

  it('refuses by name what it cannot answer', async () => {
    const { uri } = referenceIn((await issued()).credential);
    expectProblem(await send(uri, { headers: { accept: 'text/html' } }), 406, 'not-acceptable');
    for (const time of ['yesterday', '-1', '1.5', String(2 ** 40), '1&time=2']) {
      expectProblem(await send(`${uri}?time=${time}`), 400, 'validation-failed');
    }
    expectProblem(await send(`${uri}?time=1000`), 404, 'not-found');
    for (const path of [randomUUID(), 'A'.repeat(22), `${uri.split('/').at(-1) ?? ''}/refresh`]) {
      expectProblem(await send(`${service.url}/status_lists/${path}`), 404, 'not-found');
    }
  });
});

describe('what the lists are made of', () => {
  const driver = () => service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
  const provers = () => service.app.get(ProofKeys, { strict: false });
  const asOwner = (text: string) => driver().transaction((tx) => tx.script(text));
  const faults = async () => {
    const found: string[] = [];
    for await (const { subject, fault } of checkStatusChanges(driver(), provers(), 'events'))
      found.push(`${subject} ${fault}`);
    return found;
  };

  /** A suspended credential in a list that a replica has not read yet. */
  async function suspended() {
    const { credential, id } = await issued();
    const { uri, idx } = referenceIn(credential);
    const listId = uri.split('/').at(-1) ?? '';
    await change(id, 'suspend');
    await eventually(async () => (await tokenStatus(credential)) === 2);
    return { credential, id, idx, listId };
  }

  /** What a replica serves that begins to serve the list. */
  async function freshly(listId: string, idx: number): Promise<number | undefined> {
    const { entries = [] } = (await new StatusChanges(driver(), provers()).since(listId, unread)) ?? {};
    return entries.findLast(({ entry }) => entry === idx)?.status;
  }

  it('is made again from the events where somebody has changed it, and left alone elsewhere', async () => {
    const { credential, id, idx, listId } = await suspended();
    const at = `list_id = '${listId}'`;
    await change(id, 'revoke');
    await eventually(async () => (await tokenStatus(credential)) === 1);
    expect(await faults()).toEqual([]);
    await expect(rebuildStatusChanges(driver(), provers())).resolves.toEqual([]);
    for (const damage of [
      `delete from status_changes where ${at} and entry = ${idx}`,
      `update status_changes set status = 0 where ${at} and entry = ${idx}`,
      `update status_changes set changed_at = 'infinity' where ${at} and entry = ${idx}`,
      `insert into status_changes values ('${listId}', ${(idx + 1) % 2 ** 17}, 2, 1, now(), 1)`,
      `update status_list_versions set version = version + 1 where ${at}`,
      `delete from status_list_versions where ${at}`,
      `delete from status_changes where ${at} and entry = ${idx} and stream_version > 3;
       update status_list_versions set version = (select max(list_version) from status_changes where ${at}) where ${at}`,
    ]) {
      await asOwner(damage);
      expect([damage, await faults()]).toEqual([damage, [expect.stringContaining(`status list ${listId} `)]]);
      // What the events say, meanwhile.
      expect([damage, await freshly(listId, idx)]).toEqual([damage, 1]);
      expect(await tokenStatus(credential)).toBe(1);
      await expect(rebuildStatusChanges(driver(), provers())).resolves.toEqual([listId]);
      expect(await faults()).toEqual([]);
      await eventually(async () => (await tokenStatus(credential)) === 1);
    }
  });

  it('cannot be set back to an earlier state together with its proof', async () => {
    const { credential, id, idx, listId } = await suspended();
    const at = `list_id = '${listId}'`;
    await asOwner(`drop table if exists kept_versions, kept_changes;
      create table kept_versions as select * from status_list_versions where ${at};
      create table kept_changes as select * from status_changes where ${at}`);
    await change(id, 'revoke');
    await eventually(async () => (await tokenStatus(credential)) === 1);
    await asOwner(`delete from status_changes where ${at}; delete from status_list_versions where ${at};
      insert into status_changes select * from kept_changes; insert into status_list_versions select * from kept_versions`);
    expect(await faults()).toEqual([expect.stringContaining(`differs from the events (entries ${idx})`)]);
    expect(await freshly(listId, idx)).toBe(1);
    // A later change does not cover it up.
    const other = await suspended();
    expect(other.listId).toBe(listId);
    expect(await faults()).toHaveLength(1);
    expect(await freshly(listId, idx)).toBe(1);
    await expect(rebuildStatusChanges(driver(), provers())).resolves.toEqual([listId]);
    expect(await freshly(listId, idx)).toBe(1);
  });

  it('is taken as it is without its proof when the events say the same, and has one from then on', async () => {
    const { idx, listId } = await suspended();
    await asOwner(
      `update status_list_versions set digest = null, upto = null, proof = null where list_id = '${listId}'`,
    );
    expect(await faults()).toEqual([]);
    expect(await freshly(listId, idx)).toBe(2);
    const [row] = await driver().query<{ proof: Buffer | null }>({
      name: 'test-status-list-proof',
      text: 'select proof from status_list_versions where list_id = $1',
      values: [listId],
    });
    expect(row?.proof).not.toBeNull();
  });

  it('is served to nobody when neither the list nor the events can be trusted', async () => {
    const { id, idx, listId } = await suspended();
    const flipped = (from: string, to: string) =>
      `update events set data = jsonb_set(data, '{statusChange,to}', '"${to}"')
        where stream_id = 'credential-${id}' and data->'statusChange'->>'to' = '${from}'`;
    await asOwner(flipped('suspended', 'valid'));
    // The rows are still proven.
    expect(await freshly(listId, idx)).toBe(2);
    await asOwner(`update status_changes set status = 0 where list_id = '${listId}' and entry = ${idx}`);
    await expect(freshly(listId, idx)).rejects.toMatchObject({ slug: 'unavailable', status: 503 });
    await asOwner(flipped('valid', 'suspended'));
    expect(await freshly(listId, idx)).toBe(2);
    await rebuildStatusChanges(driver(), provers());
  });

  it('does not take what an event says that the service has not written', async () => {
    const { credential, id, idx, listId } = await suspended();
    await asOwner(`insert into events (stream_id, version, type, data, metadata) values
      ('credential-eve', 1, 'CredentialRevoked', '{"statusChange": {"listId": "${listId}", "indices": [${idx}], "to": "valid"}}', '{}')`);
    for (const what of ['reinstate', 'revoke']) expect((await change(id, what)).status).toBe(204);
    await eventually(async () => (await tokenStatus(credential)) === 1);
    await asOwner(`delete from events where stream_id = 'credential-eve'`);
    expect(await faults()).toEqual([]);
  });

  it('takes an event that comes again, and one that comes late, for what it is', async () => {
    // Where no service takes the events as well.
    const alone = await openDriver({ type: 'postgres', connectionString: await server.createDatabase() });
    const { changes, tell } = statusTeller(alone, provers());
    const listId = randomUUID();
    const [first = '', second = '', third = ''] = await tell(listId, [7], 'suspended', 'suspended', 'revoked');
    const now = async () => (await changes.since(listId, unread))?.version.number;
    for (const added of [[second, third], [third]]) await changes.add(listId, added);
    expect(await now()).toBe(1);
    await changes.add(listId, [first]);
    expect(await now()).toBe(2);
    expect((await changes.since(listId, unread))?.entries.at(-1)).toMatchObject({ entry: 7, status: 1 });
    const more = await tell(listId, [8], ...Array<string>(9).fill('suspended'));
    const told = (await toldChanges(alone, provers(), listId)).changes.map(({ position }) => String(position));
    expect(told).toEqual([first, second, third, ...more]);
    await alone.close();
  });
});
