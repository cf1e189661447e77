import { exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { createHmac } from 'node:crypto';
import { AccessTokens } from './access-tokens';

const conditions = {
  issuer: 'https://login.example',
  audience: 'https://issuer.example.com',
  tokenType: 'at+jwt' as const,
  tenantClaim: '',
};
const jkt = 'a'.repeat(43);
const now = (): number => Math.floor(Date.now() / 1000);

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

describe('an access token', () => {
  const pairs = new Map<string, Pair>();
  let tokens: AccessTokens;
  beforeAll(async () => {
    for (const alg of ['ES256', 'PS256', 'RS256', 'EdDSA', 'ES384', 'RS512']) {
      pairs.set(alg, await generateKeyPair(alg, { extractable: true }));
    }
    pairs.set('other', await generateKeyPair('ES256'));
    tokens = new AccessTokens(conditions, { find: ({ alg }) => Promise.resolve(pairOf(alg).publicKey) });
  });

  function pairOf(name: string): Pair {
    const pair = pairs.get(name);
    if (!pair) throw new Error(`There is no key ${name}.`);
    return pair;
  }

  const claims = (): JWTPayload => ({
    iss: conditions.issuer,
    aud: conditions.audience,
    sub: 'portal',
    client_id: 'portal-client',
    iat: now(),
    exp: now() + 300,
    jti: 'one',
    scope: 'offers:read offers:write',
  });
  const header: JWTHeaderParameters = { alg: 'ES256', typ: 'at+jwt', kid: 'k' };

  function token(
    change: JWTPayload = {},
    headerChange: Partial<JWTHeaderParameters> = {},
    key?: string,
  ): Promise<string> {
    const protectedHeader = { ...header, ...headerChange };
    return new SignJWT({ ...claims(), ...change })
      .setProtectedHeader(protectedHeader)
      .sign(pairOf(key ?? protectedHeader.alg).privateKey, { crit: { unheard: true } });
  }

  it.each(['ES256', 'PS256', 'RS256', 'EdDSA'])('signed by %s names its holder and scopes', async (alg) => {
    expect(await tokens.verify(await token({}, { alg }))).toEqual({
      accepted: true,
      principal: {
        id: 'oauth:https://login.example|portal',
        client: 'oauth:https://login.example|portal-client',
        scopes: new Set(['offers:read', 'offers:write']),
      },
    });
  });

  it.each([
    ['a list of audiences', { aud: ['https://else.example', conditions.audience] }, {}],
    ['the long media type', {}, { typ: 'application/at+jwt' }],
    ['a clock that is a little late', { iat: now() + 50, nbf: now() + 50 }, {}],
    ['an end a moment ago', { exp: now() - 50 }, {}],
    ['a time of its own making', { iat: undefined }, {}],
  ])('is accepted with %s', async (_what, change, headerChange) => {
    expect(await tokens.verify(await token(change as JWTPayload, headerChange))).toMatchObject({ accepted: true });
  });

  it.each([
    ['scope', { scope: 'openid offers:read unheard:of' }, ['offers:read']],
    ['scp as a list', { scope: undefined, scp: ['offers:read', 5] }, ['offers:read']],
    ['scp as a text', { scope: undefined, scp: 'offers:read' }, ['offers:read']],
    ['roles', { scope: undefined, roles: ['credentials:write'] }, ['credentials:write']],
    ['nothing', { scope: undefined }, []],
  ])('takes its scopes from %s', async (_where, change, expected) => {
    const verdict = await tokens.verify(await token(change));
    expect(verdict).toMatchObject({ accepted: true, principal: { scopes: new Set(expected) } });
  });

  it('of a client without a subject is the one of the client', async () => {
    const verdict = await tokens.verify(await token({ sub: undefined } as unknown as JWTPayload));
    expect(verdict).toMatchObject({ principal: { id: 'oauth:https://login.example|portal-client' } });
  });

  it.each([
    ['client_id', {}, 'portal-client'],
    ['azp, where client_id is missing', { client_id: undefined, azp: 'party' }, 'party'],
    ['its subject, where neither is there', { client_id: undefined }, 'portal'],
  ])('belongs to the client in %s', async (_where, change, client) => {
    const verdict = await tokens.verify(await token(change));
    expect(verdict).toMatchObject({ principal: { client: `oauth:https://login.example|${client}` } });
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }, {}, 'token-claim-iss'],
    ['no issuer', { iss: undefined }, {}, 'token-claim-iss'],
    ['another audience', { aud: 'https://else.example' }, {}, 'token-claim-aud'],
    ['no audience', { aud: undefined }, {}, 'token-claim-aud'],
    ['the type of an ID token', {}, { typ: 'JWT' }, 'token-claim-typ'],
    ['no type', {}, { typ: undefined }, 'token-claim-typ'],
    ['an end that is over', { exp: now() - 61 }, {}, 'token-expired'],
    ['no end', { exp: undefined }, {}, 'token-claim-exp'],
    ['an end that is no number', { exp: 'later' }, {}, 'token-claim-exp'],
    ['a beginning to come', { nbf: now() + 90 }, {}, 'token-claim-nbf'],
    ['a time of issue to come', { iat: now() + 90 }, {}, 'token-claim-iat'],
    ['a time of issue that is no number', { iat: 'now' }, {}, 'token-claim-iat'],
    ['a binding that is no object', { cnf: 'jkt' }, {}, 'token-claim-cnf'],
    ['a binding that says nothing', { cnf: {} }, {}, 'token-claim-cnf'],
    ['a thumbprint that is none', { cnf: { jkt: 'short' } }, {}, 'token-claim-cnf'],
    ['a key in the place of its thumbprint', { cnf: { jwk: { kty: 'EC' } } }, {}, 'token-claim-cnf'],
    ['another binding beside the known one', { cnf: { jkt, kid: 'k' } }, {}, 'token-claim-cnf'],
    ['an unknown binding', { cnf: { 'by-word': 'k' } }, {}, 'token-claim-cnf'],
    ['a certificate', { cnf: { 'x5t#S256': jkt } }, {}, 'token-bound-to-certificate'],
    ['a certificate beside a key', { cnf: { jkt, 'x5t#S256': jkt } }, {}, 'token-bound-to-certificate'],
    ['no subject and no client', { sub: undefined, client_id: undefined }, {}, 'token-claim-client_id'],
    ['an empty client', { client_id: '' }, {}, 'token-claim-client_id'],
    ['a client that is no text', { client_id: 5 }, {}, 'token-claim-client_id'],
    ['an empty subject', { sub: '' }, {}, 'token-claim-sub'],
    ['an unknown extension', {}, { crit: ['unheard'], unheard: true }, 'token-malformed'],
    ['a key longer than the list has', {}, { alg: 'ES384' }, 'token-algorithm-refused'],
    ['a hash longer than the list has', {}, { alg: 'RS512' }, 'token-algorithm-refused'],
  ])('is refused with %s', async (_what, change, headerChange, reason) => {
    const text = await token(change as unknown as JWTPayload, headerChange as Partial<JWTHeaderParameters>);
    expect(await tokens.verify(text)).toMatchObject({ accepted: false, fault: { reason } });
  });

  it('says which key it is bound to', async () => {
    expect(await tokens.verify(await token({ cnf: { jkt } }))).toMatchObject({ accepted: true, boundTo: jkt });
    const ofKeycloak = { cnf: { jkt, 'kc-jkt-type': 'DPoP' } };
    expect(await tokens.verify(await token(ofKeycloak))).toMatchObject({ accepted: true, boundTo: jkt });
    expect(await tokens.verify(await token())).not.toHaveProperty('boundTo');
  });

  describe('of any type, where the operator wants that,', () => {
    const verify = async (change: JWTPayload, typ: string | undefined) => {
      const find = ({ alg }: JWTHeaderParameters) => Promise.resolve(pairOf(alg).publicKey);
      const ofAnyType = new AccessTokens({ ...conditions, tokenType: 'JWT' }, { find });
      return ofAnyType.verify(await token(change, { typ } as Partial<JWTHeaderParameters>));
    };

    it.each([
      [{}, 'JWT'],
      [{}, 'jwt'],
      [{}, 'at+jwt'],
      [{ typ: 'Bearer' }, 'JWT'],
      [{ typ: 'DPoP', cnf: { jkt } }, 'JWT'],
    ])('is accepted with %j and typ %s', async (change, typ) => {
      expect(await verify(change as JWTPayload, typ)).toMatchObject({ accepted: true });
    });

    it.each([
      [{ typ: 'ID' }, 'JWT'],
      [{ typ: 'Refresh' }, 'JWT'],
      [{ nonce: 'n' }, 'JWT'],
      [{ at_hash: 'h' }, 'JWT'],
      [{ c_hash: 'h' }, 'JWT'],
      [{ s_hash: 'h' }, 'JWT'],
      [{ events: {} }, 'JWT'],
      [{}, 'logout+jwt'],
      [{}, undefined],
    ])('is refused with %j and typ %s', async (change, typ) => {
      expect(await verify(change as JWTPayload, typ)).toMatchObject({ fault: { reason: 'token-claim-typ' } });
    });

    it('must still be for this service', async () => {
      expect(await verify({ aud: 'https://else.example' }, 'JWT')).toMatchObject({
        fault: { reason: 'token-claim-aud' },
      });
    });
  });

  it('is rejected with the signature of another key, without one, or signed with the public key as a secret', async () => {
    expect(await tokens.verify(await token({}, {}, 'other'))).toMatchObject({
      fault: { reason: 'token-signature-wrong' },
    });
    const [head = '', body = '', signature = ''] = (await token()).split('.');
    expect(await tokens.verify(`${head}.${body}.${'A'.repeat(signature.length)}`)).toMatchObject({
      fault: { reason: 'token-signature-wrong' },
    });
    const unsigned = new UnsecuredJWT(claims()).encode();
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    for (const text of [unsigned, `${none}.${body}.`, `${none}.${body}.${signature}`]) {
      expect(await tokens.verify(text)).toMatchObject({ accepted: false });
    }
    const hmac = Buffer.from('{"alg":"HS256","typ":"at+jwt","kid":"k"}').toString('base64url');
    const secret = await exportSPKI(pairOf('RS256').publicKey);
    const mac = createHmac('sha256', secret).update(`${hmac}.${body}`).digest('base64url');
    expect(await tokens.verify(`${hmac}.${body}.${mac}`)).toMatchObject({
      accepted: false,
      fault: { reason: 'token-algorithm-refused' },
    });
  });

  it.each(['', 'a', 'a.b.c', 'e30.e30.', '..', 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA'])('is not %j', async (text) => {
    expect(await tokens.verify(text)).toMatchObject({ accepted: false });
  });
});
