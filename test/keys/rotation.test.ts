import { KeyRing } from '@app/keys';
import type { JsonWebKey } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, linkOf, type Received, respond, resultOf } from '../support/presenters/presenter';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json } from '../support/http/requests';
import { prepareOffer, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { credentialsOf, openSession, receive, requestCredential } from '../support/wallets/wallet';
import { readJwt, readSdJwt, verifies } from '../support/wallets/credentials';

const publicUrl = 'https://credentials.example/base';
const wellKnown = 'https://credentials.example/.well-known';
/** A revocation is in force everywhere within this time. */
const bound = 5_000;

type Jwk = JsonWebKey & { readonly kid: string };

const postgres = sharedPostgres();
/** Two replicas on one database behind one public address. */
let one: RunningService;
let other: RunningService;
/** The replica behind the public address. */
let front: RunningService;

beforeAll(async () => {
  const settings = {
    SERVICE__APPLICATION_URL: publicUrl,
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase(),
  };
  one = await startService(settings);
  other = await startService(settings);
  front = one;
  const direct = globalThis.fetch;
  const { origin } = new URL(publicUrl);
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const address = url instanceof Request ? url.url : String(url);
    return direct(address.startsWith(origin) ? front.url + address.slice(origin.length) : address, init);
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([one.stop(), other.stop()]);
});

const ringOf = ({ app }: RunningService): KeyRing => app.get(KeyRing);
const algorithms = ['ES256', 'EdDSA'] as const;
const signingKids = (service: RunningService): string =>
  algorithms.map((algorithm) => ringOf(service).activeKey(algorithm).kid).join();
const signingKid = (service: RunningService): string => ringOf(service).activeKey('ES256').kid;

/** The kid without the DID before it. */
function kidOf(signed: string): string {
  return String(readJwt(signed).header['kid']).replace(/^.*#/, '');
}

/** Every place where a verifier may find our keys, read from one replica. */
async function publishedAt(replica: RunningService): Promise<{ jwks: Jwk[]; did: Jwk[]; issuer: Jwk[] }> {
  front = replica;
  const jwks = answered(200, await get(`${publicUrl}/jwks.json`));
  const issuer = answered(200, await get(`${wellKnown}/jwt-vc-issuer/base/openid4vci`));
  const did = answered(200, await get(`${publicUrl}/did.json`));
  const methods = did['verificationMethod'] as { readonly publicKeyJwk: Jwk }[];
  return {
    jwks: jwks['keys'] as Jwk[],
    issuer: (issuer['jwks'] as Json)['keys'] as Jwk[],
    did: methods.map(({ publicKeyJwk }) => publicKeyJwk),
  };
}

async function until(condition: () => Promise<boolean> | boolean): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > 4 * bound) throw new Error('it never happens');
    await delay(50);
  }
  return performance.now() - start;
}

/** Presents both credentials to one replica; answers the result of the request. */
async function present(replica: RunningService, holdings: Holdings, ids = ['id_card', 'degree']): Promise<Json> {
  front = replica;
  const queries = [idCard, degree].filter(({ id }) => ids.includes(id));
  const asked = await ask(replica.url, { dcql_query: { credentials: queries } });
  const { payload } = readJwt(await requestObject(linkOf(asked)));
  const { client_id: clientId, nonce, state, response_uri: responseUri } = payload as Record<string, string>;
  const received = { variant: '1.0', parameters: payload, clientId, nonce, state, responseUri } as unknown as Received;
  await respond(received, { tokens: tokensFor(holdings, received, ids) });
  return resultOf(asked);
}

async function requestObject(link: string): Promise<string> {
  const { status, text } = await get(new URL(link).searchParams.get('request_uri') ?? '');
  expect(status).toBe(200);
  return text;
}

const verified = { status: 'verified', credentials: [{ trust: 'trusted' }, { trust: 'trusted' }] };

describe('after three rotations', () => {
  it('everything issued before still verifies, on every replica, and what is issued now has the newest key', async () => {
    front = one;
    const holdings = await receiveHoldings(one.url, { given_name: 'Erika' });
    const asked = await ask(one.url, { dcql_query: { credentials: [idCard] } });
    const object = await requestObject(linkOf(asked));
    const session = await openSession((await prepareOffer(one.url, [quickStart])).link);
    const metadata = await get(`${wellKnown}/openid-credential-issuer/base/openid4vci`);
    const old = signingKid(one);
    expect([kidOf(holdings.sdJwt), kidOf(holdings.jwtVc)]).toEqual([old, old]);

    for (const replica of [one, other, one]) {
      for (const algorithm of algorithms) {
        await ringOf(replica).refresh();
        await ringOf(replica).rotate(algorithm);
      }
    }
    const newest = signingKid(one);
    expect(await until(() => signingKids(other) === signingKids(one))).toBeLessThan(bound);

    for (const replica of [one, other]) {
      const published = await publishedAt(replica);
      for (const keys of Object.values(published)) {
        expect(keys).toHaveLength(8);
        expect(keys.map(({ kid }) => kid)).toEqual(published.jwks.map(({ kid }) => kid));
        const key = keys.find(({ kid }) => kid === old);
        for (const jwt of [readSdJwt(holdings.sdJwt).jwt, holdings.jwtVc, object]) {
          expect(key && verifies(jwt, key)).toBe(true);
        }
      }
      expect(await present(replica, holdings)).toMatchObject(verified);
    }
    front = other;
    expect((await get(`${wellKnown}/openid-credential-issuer/base/openid4vci`)).text).toBe(metadata.text);
    const [late = ''] = credentialsOf(answered(200, await requestCredential(session)));
    expect(kidOf(late)).toBe(newest);
    expect(kidOf(await requestObject(linkOf(asked)))).toBe(newest);
    expect(await present(one, await receiveHoldings(other.url, { given_name: 'Max' }))).toMatchObject(verified);
  });

  it('a credential signed with a key that one replica has just created is accepted by the other at once', async () => {
    front = one;
    await ringOf(one).rotate('ES256');
    const holdings = await receiveHoldings(one.url, { given_name: 'Erika' });
    expect(kidOf(holdings.sdJwt)).toBe(signingKid(one));
    expect(await present(other, holdings)).toMatchObject(verified);
  });
});

describe('a revoked key', () => {
  it('is no longer used or published: at once here, within seconds on the other replica', async () => {
    front = other;
    const holdings = await receiveHoldings(other.url, { given_name: 'Erika' });
    const revoked = signingKid(other);
    expect(await present(one, holdings)).toMatchObject(verified);
    expect(await present(other, holdings)).toMatchObject(verified);

    await ringOf(one).revoke(revoked);
    const since = performance.now();
    front = one;
    const [next = ''] = await receive((await prepareOffer(one.url, [quickStart])).link);
    expect(kidOf(next)).not.toBe(revoked);
    expect(kidOf(next)).toBe(signingKid(one));
    for (const keys of Object.values(await publishedAt(one))) {
      expect(keys.map(({ kid }) => kid)).toContain(kidOf(next));
      expect(keys.map(({ kid }) => kid)).not.toContain(revoked);
    }
    for (const id of ['id_card', 'degree']) {
      expect(await present(one, holdings, [id])).toMatchObject({
        status: 'rejected',
        failure: { check: 'issuer-key' },
      });
    }

    front = other;
    await until(async () => {
      const [credential = ''] = await receive((await prepareOffer(other.url, [quickStart])).link);
      return kidOf(credential) === kidOf(next);
    });
    expect(performance.now() - since).toBeLessThan(bound);
    expect((await publishedAt(other)).jwks).toEqual((await publishedAt(one)).jwks);
    for (const id of ['id_card', 'degree']) {
      expect(await present(other, holdings, [id])).toMatchObject({
        status: 'rejected',
        failure: { check: 'issuer-key' },
      });
    }
  });

  it('that was retired invalidates its credentials and no others', async () => {
    front = one;
    const before = await receiveHoldings(one.url, { given_name: 'Erika' });
    const retired = signingKid(one);
    await ringOf(one).rotate('ES256');
    const after = await receiveHoldings(one.url, { given_name: 'Max' });
    const active = signingKid(one);
    await ringOf(one).revoke(retired);
    expect(signingKid(one)).toBe(active);
    expect(await present(one, before, ['id_card'])).toMatchObject({ status: 'rejected' });
    expect(await present(one, after)).toMatchObject(verified);
  });
});
