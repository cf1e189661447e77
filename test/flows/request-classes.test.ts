import { type Holder, newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { answered, type Json } from '../support/http/requests';
import { credentialStatus, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { startService } from '../support/service/service';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, type RequestClass, requestClasses, requestCredential } from '../support/wallets/wallet';
import { contentOf, readJwt } from '../support/wallets/credentials';

const service = serviceOfFile();
let membership: string;
beforeAll(async () => {
  membership = await publishedTemplate(service.url);
});

const claims = { given_name: 'Erika', family_name: 'Mustermann', level: 3 };
const aCredential = expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+(~[\w-]+)*~?$/) as unknown;
const aText = expect.stringMatching(/^[\w-]{20,}$/) as unknown;
const notification = { notification_id: aText };
const nonce = { c_nonce: aText, c_nonce_expires_in: 300 };

/** Exactly these members, no more (OpenID4VCI 1.0 §8.3 and the drafts before it). */
const shapes: Record<RequestClass, (format: string) => Json> = {
  F: () => ({ credentials: [{ credential: aCredential }], ...notification }),
  'F-single': () => ({
    credential: aCredential,
    credentials: [{ credential: aCredential }],
    ...nonce,
    ...notification,
  }),
  L14: () => ({ credentials: [aCredential], ...nonce, ...notification }),
  L13: () => ({ credential: aCredential, credentials: [{ credential: aCredential }], ...nonce, ...notification }),
  L11: (format) => ({
    format,
    credential: aCredential,
    credentials: [{ credential: aCredential }],
    ...nonce,
    ...notification,
  }),
};

async function fetchOne(id: string, requestClass: RequestClass, holder: Holder): Promise<Json> {
  const { link, credentialIds } = await prepareOffer(service.url, [id]);
  const session = await openSession(link, requestClass);
  const reply = await requestCredential(session, { holders: [holder] });
  expect(reply.headers.get('cache-control')).toBe('no-store');
  const answer = answered(200, reply);
  expect(await credentialStatus(service.url, credentialIds[0] ?? '')).toBe('Issued');
  return answer;
}

function firstOf(answer: Json): string {
  const [first] = answer['credentials'] as (string | { credential: string })[];
  return typeof first === 'string' ? first : (first?.credential ?? '');
}

describe.each(requestClasses)('a wallet that asks in the shape %s', (requestClass) => {
  it('gets a W3C credential in the response format of its draft', async () => {
    const holder = newHolder();
    const answer = await fetchOne(quickStart, requestClass, holder);
    expect(answer).toEqual(shapes[requestClass]('jwt_vc_json'));
    const { header, payload } = readJwt(firstOf(answer));
    expect(header['typ']).toBe('JWT');
    const vc = payload['vc'] as Json;
    expect(vc['credentialSubject']).toEqual({ ...claims, id: payload['sub'] });
    expect((payload['cnf'] as { jwk: object }).jwk).toEqual(holder.jwk);
    // VCDM 1.1 §6.3.1: the registered claims repeat their counterparts.
    expect(vc['issuer']).toBe(payload['iss']);
    expect(vc['id']).toBe(payload['jti']);
    expect(Date.parse(vc['issuanceDate'] as string) / 1000).toBe(payload['nbf']);
  });

  const isFinal = requestClass.startsWith('F');
  if (requestClass === 'L11') return; // draft 11 names types, SD-JWT VCs have none
  it(`gets an SD-JWT VC labelled ${isFinal ? 'dc' : 'vc'}+sd-jwt`, async () => {
    const holder = newHolder();
    const answer = await fetchOne(membership, requestClass, holder);
    expect(answer).toEqual(shapes[requestClass]('vc+sd-jwt'));
    const credential = contentOf(firstOf(answer));
    expect(credential.header['typ']).toBe(isFinal ? 'dc+sd-jwt' : 'vc+sd-jwt');
    expect(credential.claims).toMatchObject(claims);
    expect(credential.payload).not.toMatchObject(claims);
    expect((credential.payload['cnf'] as { jwk: object }).jwk).toEqual(holder.jwk);
  });
});

describe('the times of a single credential', () => {
  const day = 24 * 60 * 60;
  const timesAt = async (url: string): Promise<number[]> => {
    const id = await publishedTemplate(url, { expiration: 'P30D' });
    const session = await openSession((await prepareOffer(url, [id])).link);
    const { payload } = contentOf(firstOf(answered(200, await requestCredential(session))));
    return [Number(payload['iat']), Number(payload['exp'])];
  };

  it('are cut to the day, so that verifiers cannot recognise it by them', async () => {
    expect((await timesAt(service.url)).map((time) => time % day)).toEqual([0, 0]);
  });

  it('are exact where the operator has chosen so', async () => {
    const exact = await startService({ SERVICE__ISSUER__EXACT_TIMES: 'true' });
    try {
      const before = Math.floor(Date.now() / 1000);
      const [iat = 0, exp = 0] = await timesAt(exact.url);
      // The clock is the database's, which is on this machine.
      expect(Math.abs(iat - before)).toBeLessThan(day / 24);
      expect(exp % day === 0 && iat % day === 0).toBe(false);
    } finally {
      await exact.stop();
    }
  });
});

describe('a wallet of draft 15, which reads the appended document and uses the final request format', () => {
  it('gets the label of this document', async () => {
    const { link } = await prepareOffer(service.url, [membership]);
    const session = await openSession(link, 'F');
    const endpoint = `${session.offer.issuer}/draft-13/credential`;
    const answer = answered(200, await requestCredential(session, { endpoint }));
    expect(Object.keys(answer).sort()).toEqual(['c_nonce', 'c_nonce_expires_in', 'credentials', 'notification_id']);
    expect(contentOf(firstOf(answer)).header['typ']).toBe('vc+sd-jwt');
  });
});

describe.each(['F', 'L14'] as const)('a batch in the shape %s', (requestClass) => {
  it.each([
    ['a W3C credential', () => quickStart],
    ['an SD-JWT VC', () => membership],
  ])('returns %s for each key, which verifiers cannot link', async (_what, id) => {
    const holders = [newHolder(), newHolder('EdDSA'), newHolder('ES384'), newHolder('ES256', 'did:key')];
    const { link } = await prepareOffer(service.url, [id()]);
    const session = await openSession(link, requestClass);
    const answer = answered(200, await requestCredential(session, { holders }));
    const texts = (answer['credentials'] as (string | { credential: string })[]).map((one) =>
      typeof one === 'string' ? one : one.credential,
    );
    expect(texts).toHaveLength(holders.length);
    const payloads = texts.map((text) => readJwt(text.split('~')[0] ?? '').payload);
    const keys = payloads.map((payload) => boundKey(payload));
    expect(keys).toEqual(holders.map(keyOf));
    // Values that could link them differ, or are the same for every holder on that day.
    const jti = payloads.map((payload) => payload['jti']).filter((one) => one !== undefined);
    expect(new Set(jti).size).toBe(jti.length);
    for (const { iat } of payloads as { iat: number }[]) expect(iat % 86_400).toBe(0);
    const disclosures = texts.flatMap((text) => text.split('~').slice(1, -1));
    expect(new Set(disclosures).size).toBe(disclosures.length);
  });
});

function keyOf({ did, jwk }: Holder): string {
  return did ?? thumbprintOf(jwk);
}

/** The key or DID a credential names as its holder. */
function boundKey(payload: Json): string {
  const { jwk, kid } = (payload['cnf'] ?? {}) as { jwk?: Parameters<typeof thumbprintOf>[0]; kid?: string };
  if (kid !== undefined) return kid.split('#')[0] ?? '';
  return jwk ? thumbprintOf(jwk) : String(payload['sub']);
}

describe('a holder key', () => {
  it.each([
    ['ES256', 'did:jwk'],
    ['ES256', 'did:key'],
    ['EdDSA', 'jwk'],
    ['EdDSA', 'did:jwk'],
    ['EdDSA', 'did:key'],
    ['ES384', 'jwk'],
    ['ES384', 'did:jwk'],
  ] as const)('%s named by %s is what both formats are bound to', async (algorithm, naming) => {
    const holder = newHolder(algorithm, naming);
    const w3c = readJwt(firstOf(await fetchOne(quickStart, 'F', holder))).payload;
    expect(w3c['sub']).toBe(holder.did ?? `did:jwk:${canonical(holder)}`);
    const sdJwt = contentOf(firstOf(await fetchOne(membership, 'F', holder))).payload;
    expect(sdJwt['cnf']).toEqual({
      jwk: holder.jwk,
      ...(holder.did !== undefined && { kid: holder.header['kid'] }),
    });
  });
});

describe('a proof of an Ed25519 key', () => {
  it.each(['F', 'L13'] as const)('may use the fully specified name of its algorithm (%s)', async (generation) => {
    const { link } = await prepareOffer(service.url);
    const session = await openSession(link, generation);
    const proof = { header: { alg: 'Ed25519' } };
    answered(200, await requestCredential(session, { holders: [newHolder('EdDSA')], proof }));
  });
});

function canonical({ jwk: { crv, kty, x, y } }: Holder): string {
  return Buffer.from(JSON.stringify({ crv, kty, x, ...(y !== undefined && { y }) })).toString('base64url');
}
