import { encodeStatusList } from '@app/credentials';
import { certify, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, type Reply, sendBytes } from '../support/http/requests';
import { prepareOffer, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { type AttestationChanges, AttestedWallet, clientAssertion } from '../support/wallets/attested-wallet';
import { authorize, clientId, codeForm, FormBrowser, pushRequest, redirectUri } from '../support/wallets/authorization';
import { dpopProof, newDpopKey } from '../support/wallets/dpop';
import { preAuthorizedGrant, readOffer } from '../support/wallets/wallet';

const day = 24 * 60 * 60 * 1000;
const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
const root = certify({ name: 'wallets', isAuthority: true, ...validity });
const provider = certify({ name: 'provider', issuer: root, isAuthority: false, ...validity });
const issuers = certify({ name: 'issuers', isAuthority: true, ...validity });
const otherPurpose = certify({ name: 'issuer', issuer: issuers, isAuthority: false, ...validity });
const registeredKey = signingKey('ES256');
const registered = 'https://registered.example';
const elsewhere = 'https://keys-elsewhere.example';

const directory = mkdtempSync(join(tmpdir(), 'wallets-'));
const anchors = join(directory, 'anchors');
const clientsFile = join(directory, 'clients.yaml');

/** Serves the status list of the wallet provider, with the second entry revoked, and the keys of a client. */
const others = createServer(({ url }, response: ServerResponse) => {
  if (url === '/jwks.json') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [registeredKey.jwk] }));
    return;
  }
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: listUri(), iat, exp: iat + 600, status_list: encodeStatusList(1, 8, [[1, 1]]) };
  const list = signBy(provider)({ typ: 'statuslist+jwt', x5c: x5c(provider) }, claims);
  response.writeHead(url === '/list' ? 200 : 404, { 'content-type': 'application/statuslist+jwt' }).end(list);
});
const hostOfOthers = (): string => `127.0.0.1:${(others.address() as AddressInfo).port}`;
const listUri = (): string => `http://${hostOfOthers()}/list`;

let service: RunningService;
let issuer: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve));
  mkdirSync(anchors);
  writeFileSync(join(anchors, 'wallets.pem'), root.certificate.toString());
  writeFileSync(join(anchors, 'wallets.yaml'), 'purposes: [wallet-provider]\n');
  writeFileSync(join(anchors, 'issuers.pem'), issuers.certificate.toString());
  writeFileSync(join(anchors, 'issuers.yaml'), 'purposes: [issuer, key-attester]\n');
  const entry = { clientId: registered, method: 'private_key_jwt', name: 'Registered', redirectUris: [redirectUri] };
  const clients = [
    { ...entry, jwks: { keys: [registeredKey.jwk] } },
    { ...entry, clientId: elsewhere, jwksUri: `http://${hostOfOthers()}/jwks.json` },
  ];
  writeFileSync(clientsFile, JSON.stringify(clients));
  service = await startService({
    SERVICE__TRUST__ANCHORS: anchors,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: hostOfOthers(),
    SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'reject',
    SERVICE__AUTHORIZATION__CLIENTS: 'attested',
    SERVICE__AUTHORIZATION__CLIENTS_FILE: clientsFile,
  });
  issuer = `${service.url}/openid4vci`;
});
afterAll(async () => {
  await service.stop();
  others.close();
  rmSync(directory, { recursive: true });
});

const wallet = () => new AttestedWallet(provider, issuer, clientId);
const challengeOf = ({ headers }: Reply) => headers.get('oauth-client-attestation-challenge');
const push = async (changes: AttestationChanges = {}, form: Record<string, string | undefined> = {}) =>
  (await pushRequest(service.url, form, wallet().headers(changes))).answer;
const pushAsRegistered = async (assertion: Json = {}, key = registeredKey, client_id = registered) => {
  const form = { client_id, ...clientAssertion(key, client_id, issuer, assertion) };
  return (await pushRequest(service.url, form)).answer;
};

describe('the metadata of the authorization server', () => {
  it('names how wallets authenticate, and where challenges are', async () => {
    const metadata = answered(200, await get(`${service.url}/.well-known/oauth-authorization-server/openid4vci`));
    expect(metadata).toMatchObject({
      token_endpoint_auth_methods_supported: [
        'attest_jwt_client_auth',
        'attest_jwt_client_auth_dpop',
        'private_key_jwt',
      ],
      client_attestation_signing_alg_values_supported: expect.arrayContaining(['ES256']) as unknown,
      client_attestation_pop_signing_alg_values_supported: expect.arrayContaining(['ES256']) as unknown,
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256']) as unknown,
      challenge_endpoint: `${issuer}/challenge`,
    });
  });
});

describe('an attested wallet', () => {
  it('gets a code and a token for the instance that asked, and the person reads its name', async () => {
    const asking = wallet();
    const pushed = await pushRequest(service.url, {}, asking.headers());
    answered(201, pushed.answer);
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    await browser.press('login', { username: 'ada', password: 'any' });
    expect(browser.shown?.text).toContain('Wallet of Example');
    const { searchParams } = new URL((await browser.press('approve')).headers.get('location') ?? '');
    const form = Object.entries(codeForm(searchParams.get('code') ?? '', pushed));
    const redeem = (headers: Record<string, string> = {}) => postForm(`${issuer}/token`, form, headers);
    expectRefusal(await redeem(), 401, 'invalid_client');
    const url = `${issuer}/token`;
    expectRefusal(await redeem({ ...wallet().headers(), DPoP: dpopProof(newDpopKey(), url) }), 400, 'invalid_grant');
    const token = answered(200, await redeem({ ...asking.headers(), DPoP: dpopProof(newDpopKey(), url) }));
    expect(token).toMatchObject({ refresh_token: expect.stringMatching(/^[\w-]{43,}$/) as string });
    expect(token).not.toHaveProperty('c_nonce');
  });

  describe('that shows its key by the DPoP proof alone', () => {
    const proven = (asking: AttestedWallet, path: string, changes: Json = {}, key = asking.key) => {
      const { jwk } = key;
      const claims = { jti: randomUUID(), htm: 'POST', htu: `${issuer}${path}`, iat: Math.floor(Date.now() / 1000) };
      const attestation = asking.headers()['OAuth-Client-Attestation'] ?? '';
      const header = { typ: 'dpop+jwt', jwk: { ...jwk } };
      return { 'OAuth-Client-Attestation': attestation, DPoP: key.sign(header, { ...claims, ...changes } as never) };
    };
    const pushed = (asking: AttestedWallet, ...changes: [Json?, AttestedWallet['key']?]) =>
      pushRequest(service.url, {}, proven(asking, '/par', ...changes));

    it('gets a code and a token that is bound to it', async () => {
      const asking = wallet();
      const push = await pushed(asking);
      answered(201, push.answer);
      const form = Object.entries(codeForm(await authorize(service.url, push), push));
      const redeem = (by: AttestedWallet) => postForm(`${issuer}/token`, form, proven(by, '/token'));
      expectRefusal(await redeem(wallet()), 400, 'invalid_grant');
      expect(answered(200, await redeem(asking))).toMatchObject({ token_type: 'DPoP' });
    });

    it('may show a challenge of this service in it, and nothing else', async () => {
      const asking = wallet();
      const challenge = challengeOf((await pushed(asking)).answer);
      answered(201, (await pushed(asking, { nonce: challenge })).answer);
      expectRefusal((await pushed(asking, { nonce: 'made-up' })).answer, 400, 'use_dpop_nonce');
    });

    it('is refused with the proof of another key, and with one that was used', async () => {
      const asking = wallet();
      expectRefusal((await pushed(asking, {}, wallet().key)).answer, 400, 'invalid_client_attestation');
      const headers = proven(asking, '/par');
      answered(201, (await pushRequest(service.url, {}, headers)).answer);
      expectRefusal((await pushRequest(service.url, {}, headers)).answer, 400, 'invalid_dpop_proof');
    });
  });

  it('proves a key to redeem its code, and may do without for a pre-authorized one', async () => {
    const asking = wallet();
    const pushed = await pushRequest(service.url, {}, asking.headers());
    const code = await authorize(service.url, pushed);
    const form = Object.entries(codeForm(code, pushed));
    expectRefusal(await postForm(`${issuer}/token`, form, asking.headers()), 400, 'invalid_dpop_proof');
    const { code: preAuthorized } = await readOffer((await prepareOffer(service.url, [quickStart])).link);
    const other: [string, string][] = [
      ['grant_type', preAuthorizedGrant],
      ['pre-authorized_code', preAuthorized],
    ];
    expect(answered(200, await postForm(`${issuer}/token`, other, asking.headers()))).toMatchObject({
      token_type: 'Bearer',
    });
  });

  it('may use a challenge, from the endpoint or from any response', async () => {
    const answer = await postForm(`${issuer}/challenge`, '');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { attestation_challenge: challenge } = answered(200, answer);
    expect(challenge).toMatch(/^[\w-]{43,}$/);
    answered(201, await push({ proof: { challenge } }));
    const refused = await push({ proof: { challenge: 'made-up' } });
    expectRefusal(refused, 400, 'use_attestation_challenge');
    answered(201, await push({ proof: { challenge: challengeOf(refused) } }));
  });

  it('cannot use a proof of possession twice, and each refusal comes with a challenge', async () => {
    const headers = wallet().headers();
    answered(201, (await pushRequest(service.url, {}, headers)).answer);
    const again = (await pushRequest(service.url, {}, headers)).answer;
    expectRefusal(again, 400, 'invalid_client_attestation');
    expect(challengeOf(again)).toMatch(/^[\w-]{43,}$/);
  });

  const seconds = Math.floor(Date.now() / 1000);
  it.each<[string, AttestationChanges, number, string]>([
    ['an attestation that has expired', { attestation: { exp: seconds - 100 } }, 400, 'use_fresh_attestation'],
    ['the attestation of a provider for another purpose', { by: otherPurpose }, 400, 'invalid_client_attestation'],
    ['the attestation of another client', { attestation: { sub: 'other' } }, 400, 'invalid_client_attestation'],
    ['a proof for the token endpoint', { proof: { aud: 'https://x/token' } }, 400, 'invalid_client_attestation'],
    ['a proof with another key', { key: signingKey('ES256') }, 400, 'invalid_client_attestation'],
  ])('is refused with %s', async (_, changes, status, error) => {
    expectRefusal(await push(changes), status, error);
  });

  it.each<[string, (headers: Record<string, string>) => Record<string, string>]>([
    ['one of the headers', ({ 'OAuth-Client-Attestation': sent = '' }) => ({ 'OAuth-Client-Attestation': sent })],
    [
      'a header twice',
      ({ 'OAuth-Client-Attestation': sent = '', ...others }) => ({
        ...others,
        'OAuth-Client-Attestation': `${sent}, ${sent}`,
      }),
    ],
  ])('is refused with %s', async (_, change) => {
    expectRefusal((await pushRequest(service.url, {}, change(wallet().headers()))).answer, 400, 'invalid_request');
  });

  it('is refused with a header on two lines', async () => {
    const headers = Object.entries(wallet().headers());
    const body = 'client_id=x';
    for (const [twice] of headers) {
      const lines = headers.flatMap(([name, value]) => Array<string>(name === twice ? 2 : 1).fill(`${name}: ${value}`));
      const head = [
        'POST /openid4vci/par HTTP/1.1',
        'Host: 127.0.0.1',
        'Connection: close',
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${body.length}`,
        ...lines,
      ];
      const answer = await sendBytes(service.url, `${head.join('\r\n')}\r\n\r\n${body}`);
      expect(answer).toMatch(/^HTTP\/1.1 400 [^]*"invalid_request"/);
      expect(answer).toContain(`The header ${twice} must be sent once.`);
    }
  });

  it('is refused once its attestation is revoked, and for now when nobody knows', async () => {
    const exp = Math.floor(Date.now() / 1000) + 86_400;
    for (const claimed of [(status: Json) => ({ status }), (status: Json) => ({ client_status: { status, exp } })]) {
      const pushWith = (uri: string, idx: number) => push({ attestation: claimed({ status_list: { uri, idx } }) });
      answered(201, await pushWith(listUri(), 0));
      expectRefusal(await pushWith(listUri(), 1), 400, 'invalid_client_attestation');
      const unknown = await pushWith(`http://${hostOfOthers()}/no-list`, 0);
      expectRefusal(unknown, 503, 'temporarily_unavailable');
      expect(unknown.headers.get('retry-after')).toBe('60');
    }
    const ended = { client_status: { status: { status_list: { uri: listUri(), idx: 0 } }, exp: exp - 2 * 86_400 } };
    expectRefusal(await push({ attestation: ended }), 400, 'invalid_client_attestation');
  });

  it('sends its client_id, and nothing besides its attestation', async () => {
    expectRefusal(await push({}, { client_id: undefined }), 400, 'invalid_request');
    const both = clientAssertion(registeredKey, registered, issuer);
    expectRefusal(await push({}, both), 400, 'invalid_request');
  });
});

describe('a wallet that is not attested', () => {
  it('is refused a pushed request and its answer has a challenge', async () => {
    const { answer } = await pushRequest(service.url);
    expectRefusal(answer, 401, 'invalid_client');
    expect(challengeOf(answer)).toMatch(/^[\w-]{43,}$/);
    expect(answer.headers.get('access-control-expose-headers')).toContain('OAuth-Client-Attestation-Challenge');
  });

  it('is refused a pushed request and a revocation that name the grant which needs no authentication', async () => {
    const named = { grant_type: preAuthorizedGrant };
    expectRefusal((await pushRequest(service.url, named)).answer, 401, 'invalid_client');
    const form = Object.entries({ ...named, client_id: clientId, token: 'any' });
    expectRefusal(await postForm(`${issuer}/revoke`, form), 401, 'invalid_client');
  });

  it('redeems a pre-authorized code, with its name or without', async () => {
    for (const named of [[], [['client_id', 'anyone']]] as [string, string][][]) {
      const { code } = await readOffer((await prepareOffer(service.url, [quickStart])).link);
      const form: [string, string][] = [['grant_type', preAuthorizedGrant], ['pre-authorized_code', code], ...named];
      answered(200, await postForm(`${issuer}/token`, form));
    }
  });

  it('redeems a pre-authorized code with an assertion that it sends to every issuer', async () => {
    const { code } = await readOffer((await prepareOffer(service.url, [quickStart])).link);
    const form = {
      grant_type: preAuthorizedGrant,
      'pre-authorized_code': code,
      client_id: 'https://elsewhere.example',
      ...clientAssertion(registeredKey, 'https://elsewhere.example', issuer),
    };
    answered(200, await postForm(`${issuer}/token`, Object.entries(form)));
  });

  it('cannot take the name of a registered client', async () => {
    const { answer } = await pushRequest(service.url, { client_id: registered });
    expectRefusal(answer, 401, 'invalid_client');
  });
});

describe('a registered client', () => {
  it('authenticates by an assertion, once', async () => {
    const jti = 'once';
    answered(201, await pushAsRegistered({ jti }));
    expectRefusal(await pushAsRegistered({ jti }), 401, 'invalid_client');
  });

  it('has its keys fetched from where the file says', async () => {
    answered(201, await pushAsRegistered({}, registeredKey, elsewhere));
    expectRefusal(await pushAsRegistered({}, signingKey('ES256'), elsewhere), 401, 'invalid_client');
  });

  it('is only returned to where it is registered', async () => {
    const assertion = clientAssertion(registeredKey, registered, issuer);
    const form = { client_id: registered, redirect_uri: `${redirectUri}/`, ...assertion };
    expectRefusal((await pushRequest(service.url, form)).answer, 400, 'invalid_request');
  });

  const seconds = Math.floor(Date.now() / 1000);
  it.each<[string, () => Promise<Reply>]>([
    ['for the token endpoint', () => pushAsRegistered({ aud: `${issuer}/token` })],
    ['that is good for an hour', () => pushAsRegistered({ exp: seconds + 3600 })],
    ['with another key', () => pushAsRegistered({}, signingKey('ES256'))],
    ['of another client', () => pushAsRegistered({ iss: 'x', sub: 'x' })],
  ])('is refused with an assertion %s', async (_, asked) => {
    expectRefusal(await asked(), 401, 'invalid_client');
  });

  it('is known without a restart when it is added to the file', async () => {
    const added = 'https://added.example';
    const entry = { clientId: added, method: 'none', redirectUris: [redirectUri] };
    writeFileSync(clientsFile, JSON.stringify([entry]));
    const deadline = Date.now() + 60_000;
    let status = 0;
    while (status !== 201 && Date.now() < deadline) {
      ({ status } = (await pushRequest(service.url, { client_id: added })).answer);
    }
    expect(status).toBe(201);
    expectRefusal(await pushAsRegistered(), 401, 'invalid_client');
  });
});

describe('a service with SERVICE__HAIP', () => {
  it('does not start when nobody is trusted to vouch for wallets, and says so', async () => {
    await expect(startService({ SERVICE__HAIP: 'true' })).rejects.toThrow(
      /SERVICE__HAIP: found no certificate authority that vouches for wallets; put/,
    );
  });
});
