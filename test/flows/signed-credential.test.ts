import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket, type AddressInfo } from 'node:net';
import { foreignJwtVc, foreignSdJwt, inSeconds } from '../support/presenters/credentials';
import { type IssuerSite, startIssuerSite } from '../support/presenters/issuer';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

let service: RunningService;
let site: IssuerSite;
/** Accepts connections and never answers. */
let silent: Server;
const held: Socket[] = [];
let silentHost: string;
beforeAll(async () => {
  site = await startIssuerSite();
  silent = createServer((socket) => held.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  silentHost = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: `${site.host},${silentHost}` });
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  silent.close();
  await Promise.all([service.stop(), site.stop()]);
});

const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const exp = inSeconds(3600);

/** A credential of an issuer who is named by URL. */
const ofUrl = (iss: string, signer = issuer): string =>
  foreignJwtVc(issuer, holder, { header: { kid: 'key-1' }, payload: { iss, exp }, signer });

/** A new issuer at the site, who publishes the key. */
function publishIssuer(keys: readonly unknown[] = [{ ...issuer.jwk, kid: 'key-1' }]): string {
  const path = `/${randomUUID()}`;
  const iss = site.url + path;
  site.pages.set(`/.well-known/jwt-vc-issuer${path}`, { body: JSON.stringify({ issuer: iss, jwks: { keys } }) });
  return iss;
}

const bodyOf = (credential: string): Json => ({
  offerId: randomUUID(),
  credentialConfigurationId: quickStart,
  credential,
});
const prepare = (credential: string) => postJson(`${service.url}/v0/credentials`, bodyOf(credential));
const batch = (credentials: readonly string[]) =>
  postJson(`${service.url}/v0/credentials/batch`, { credentials: credentials.map(bodyOf) });
const inItems = (reply: Awaited<ReturnType<typeof batch>>): unknown[] =>
  (answered(200, reply)['items'] as { credential?: Json; problem?: Json }[]).map(
    ({ credential, problem }) => credential?.['signature'] ?? problem?.['title'],
  );

describe('a credential that was signed elsewhere', () => {
  it('reaches the wallet unchanged, in both formats', async () => {
    const card = await publishedTemplate(service.url);
    for (const [configuration, credential] of [
      [quickStart, foreignJwtVc(issuer, holder, { payload: { exp } })],
      [card, foreignSdJwt(issuer, holder, { payload: { exp } })],
    ] as const) {
      const prepared = await prepareOffer(service.url, [configuration], {}, { credential, expiresAt: 'never' });
      expect(await receive(prepared.link, 'F', { holders: [holder] })).toEqual([credential]);
      const read = answered(200, await get(`${service.url}/v0/credentials/${prepared.credentialIds[0] ?? ''}`));
      const expiresAt = new Date(exp * 1000).toISOString();
      expect(read).toMatchObject({ status: 'Issued', credential, expiresAt, signature: 'verified' });
    }
  });

  it('is verified with the key that its issuer publishes, or rejected', async () => {
    const iss = publishIssuer();
    expect(answered(201, await prepare(ofUrl(iss)))).toMatchObject({ signature: 'verified' });
    const forged = await prepare(ofUrl(iss, newHolder('ES256')));
    expect(answered(400, forged)['title']).toBe('Invalid Signed Credential Format');
    expect(forged.json['detail']).toContain('does not verify with the key that its issuer publishes');
  });

  it('is verified when this service itself signed it', async () => {
    const [own = ''] = await receive((await prepareOffer(service.url)).link);
    expect(answered(201, await prepare(own))).toMatchObject({ signature: 'verified' });
  });

  it('is not called verified when the issuer publishes no such key', async () => {
    const iss = publishIssuer([]);
    const { credentialId, signature } = answered(201, await prepare(ofUrl(iss)));
    expect(signature).toBe('not-checked');
    const read = answered(200, await get(`${service.url}/v0/credentials/${String(credentialId)}`));
    expect(read).toMatchObject({ signature: 'not-checked' });
    const listed = answered(200, await get(`${service.url}/v0/credentials?limit=1`))['items'];
    expect(listed).toMatchObject([{ credentialId, signature: 'not-checked' }]);
  });

  it('has no signature result when this service signs it', async () => {
    const body = { ...bodyOf(''), credential: { credentialSubject: {} } };
    const prepared = answered(201, await postJson(`${service.url}/v0/credentials`, body));
    expect(prepared).not.toHaveProperty('signature');
    const read = answered(200, await get(`${service.url}/v0/credentials/${String(prepared['credentialId'])}`));
    expect(read).not.toHaveProperty('signature');
  });
});

describe('many credentials that were signed elsewhere', () => {
  it('of one issuer fetch its key once', async () => {
    const iss = publishIssuer();
    const before = site.asked.length;
    const forged = ofUrl(iss, newHolder('ES256'));
    const credentials = Array.from({ length: 60 }, (_, index) => (index === 30 ? forged : ofUrl(iss)));
    const expected = credentials.map((each) => (each === forged ? 'Invalid Signed Credential Format' : 'verified'));
    expect(inItems(await batch(credentials))).toEqual(expected);
    expect(site.asked.length).toBe(before + 1);
  });

  it('of issuers that do not answer wait for them together, not one after the other', async () => {
    const hanging = Array.from({ length: 200 }, (_, index) => ofUrl(`http://${silentHost}/issuer-${index}`));
    const atHand = foreignJwtVc(issuer, holder);
    const outcomes = inItems(await batch([...hanging, atHand]));
    expect(outcomes).toEqual([...hanging.map(() => 'not-checked'), 'verified']);
    // Thirty-two at a time, each for as long as an outgoing request may take, they would take half a minute.
  });
});
