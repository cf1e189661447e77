import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';

/** Everything a practice issuer can do wrong on purpose; each is one change to an otherwise good issuance. */
export type Misdeed =
  | 'forged-signature'
  | 'expired'
  | 'other-holder'
  | 'other-subject'
  | 'two-issuers'
  | 'two-dates'
  | 'unbound'
  | 'other-type'
  | 'sneaked-disclosure'
  | 'wrong-typ'
  | 'refuses-credential';

export interface PracticeHolder {
  readonly jwk: JWK;
  readonly did?: string;
}

export const vct = 'https://practice.example/membership';
export const types = ['VerifiableCredential', 'PracticeDegree'];

/** A private ES256 key as JWK. */
export async function freshKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return exportJWK(privateKey);
}

/** Issues the practice credentials, honestly or with one misdeed; written apart from the product on purpose. */
export function practiceCredentials(by: { issuer: string; did: string; issuerKey: JWK; forgedKey: JWK }) {
  async function jwtVc(holder: PracticeHolder, misdeed: Misdeed | undefined): Promise<string> {
    const now = Math.floor(Date.now() / 1000) - (misdeed === 'expired' ? 7200 : 0);
    const bound = misdeed === 'other-holder' ? publicPart(await freshKey()) : publicPart(holder.jwk);
    const subject = misdeed === 'other-subject' ? publicPart(await freshKey()) : bound;
    const sub = subject === bound && misdeed !== 'other-holder' && holder.did ? holder.did : encodeDidJwk(subject);
    const cnf = misdeed === 'other-subject' ? {} : { cnf: { jwk: bound } };
    const binding = misdeed === 'unbound' ? {} : { sub, ...cnf };
    const id = `urn:uuid:${randomUUID()}`;
    const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
    const vc = {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      id,
      type: misdeed === 'other-type' ? ['VerifiableCredential'] : types,
      issuer: misdeed === 'two-issuers' ? `${by.did}:other` : by.did,
      issuanceDate: iso(now),
      expirationDate: iso(now + (misdeed === 'two-dates' ? 7200 : 3600)),
      credentialSubject: { ...(misdeed === 'unbound' ? {} : { id: sub }), degree: { name: 'Bachelor of Practice' } },
    };
    const header = { kid: `${by.did}#practice`, typ: misdeed === 'wrong-typ' ? 'dc+sd-jwt' : 'JWT' };
    return sign(header, { iss: by.did, iat: now, nbf: now, exp: now + 3600, jti: id, ...binding, vc }, misdeed);
  }

  async function sdJwtVc(holder: PracticeHolder, draft13: boolean, misdeed: Misdeed | undefined): Promise<string> {
    const now = Math.floor(Date.now() / 1000) - (misdeed === 'expired' ? 7200 : 0);
    const disclosure = (...content: unknown[]): string =>
      Buffer.from(JSON.stringify([randomUUID(), ...content])).toString('base64url');
    const digest = (encoded: string): string => createHash('sha256').update(encoded).digest('base64url');
    const city = disclosure('locality', 'Bergen');
    const disclosures = [
      disclosure('given_name', 'Ada'),
      disclosure('address', { _sd: [digest(city)], country: 'NO' }),
      disclosure('gold'),
    ];
    const jwk = misdeed === 'other-holder' ? await freshKey() : holder.jwk;
    const payload = {
      iss: by.issuer,
      iat: now,
      exp: now + 3600,
      vct: misdeed === 'other-type' ? `${vct}/other` : vct,
      ...(misdeed === 'unbound' ? {} : { cnf: { jwk: publicPart(jwk) } }),
      _sd_alg: 'sha-256',
      _sd: disclosures.slice(0, 2).map(digest),
      levels: ['silver', { '...': digest(disclosures[2] ?? '') }, { '...': digest('a decoy') }],
    };
    const typ = draft13 !== (misdeed === 'wrong-typ') ? 'vc+sd-jwt' : 'dc+sd-jwt';
    const extra = misdeed === 'sneaked-disclosure' ? [disclosure('admin', true)] : [];
    const jwt = await sign({ kid: 'practice', typ }, payload, misdeed);
    return [jwt, city, ...disclosures, ...extra, ''].join('~');
  }

  async function sign(header: object, payload: object, misdeed: Misdeed | undefined): Promise<string> {
    const key = await importJWK(misdeed === 'forged-signature' ? by.forgedKey : by.issuerKey, 'ES256');
    return new SignJWT({ ...payload }).setProtectedHeader({ ...header, alg: 'ES256' }).sign(key);
  }

  return { jwtVc, sdJwtVc };
}

/** The key inside a did:jwk; undefined for other DIDs, which the practice issuer does not know. */
export function didJwk(did: string): JWK | undefined {
  if (!did.startsWith('did:jwk:')) return undefined;
  return JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString('utf8')) as JWK;
}

function encodeDidJwk(jwk: JWK): string {
  return `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
}

function publicPart({ kty = '', crv, x, y }: JWK): JWK {
  return Object.fromEntries(Object.entries({ kty, crv, x, y }).filter(([, value]) => value !== undefined));
}
