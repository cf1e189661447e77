import { createHash, randomBytes } from 'node:crypto';
import { dpopProof } from '../support/wallets/dpop';
import { type Holder, keyProof } from '../support/wallets/key-proofs';
import { type Flow, form, json, parameterOf, pathOf } from './flow';
import type { Exchange, HttpClient } from './http-client';
import { sdJwtCard } from './cards';
import type { AuthorizingIssuer } from './sealwright';

const redirectUri = 'https://wallet.example/callback';
const clientId = 'https://wallet.example';

/**
 * The issuing of one credential by authorization code, from the portal submitting the data to the wallet holding the credential: the
 * wallet pushes its request, the person agrees on the page, and the token is bound to the key of the wallet by DPoP.
 */
export class AuthorizingFlow implements Flow<HttpClient> {
  private started = 0;

  constructor(
    private readonly issuer: AuthorizingIssuer,
    private readonly holders: readonly Holder[],
  ) {}

  async run(client: HttpClient): Promise<void> {
    const holder = this.holders[this.started++ % this.holders.length];
    if (!holder) throw new Error('There is no such wallet.');
    const { issuer } = this;
    const link = await issuer.offerByCode(client, sdJwtCard.claims);
    const offer = await client.send({ method: 'GET', path: pathOf(parameterOf(link, 'credential_offer_uri')) });
    for (const path of issuer.metadata) await client.send({ method: 'GET', path });
    const { grants } = JSON.parse(offer) as { grants: { authorization_code: { issuer_state: string } } };
    const verifier = randomBytes(32).toString('base64url');
    const code = await this.codeFor(client, holder, grants.authorization_code.issuer_state, verifier);

    const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const granted = await this.post(client, holder, '/token', form({ ...redemption, client_id: clientId }));
    const { access_token: token = '', token_type: type } = JSON.parse(granted) as Partial<Record<string, string>>;
    if (type !== 'DPoP') throw new Error(`The token is not bound: ${granted}`);
    const fresh = await client.send({ method: 'POST', path: '/openid4vci/nonce' });
    const { c_nonce: nonce = '' } = JSON.parse(fresh) as { c_nonce?: string };
    const body = issuer.credentialRequest(keyProof(holder, issuer.identifier, nonce, { claims: { iss: clientId } }));
    const issued = await this.post(client, holder, '/credential', json(body), token);
    const { credentials = [] } = JSON.parse(issued) as { credentials?: { credential: string }[] };
    const credential = credentials[0]?.credential ?? '';
    if (!/^ey[\w-]+\.[\w-]+\.[\w-]+~/.test(credential)) throw new Error(`No SD-JWT VC came: ${issued}`);
  }

  private async codeFor(client: HttpClient, holder: Holder, issuerState: string, verifier: string): Promise<string> {
    const asked = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: this.issuer.scope,
      issuer_state: issuerState,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: randomBytes(32).toString('base64url'),
    };
    const pushed = await this.post(client, holder, '/par', { ...form(asked), headers: this.anotherAddress() });
    const { request_uri: requestUri = '' } = JSON.parse(pushed) as { request_uri?: string };
    const query = new URLSearchParams({ client_id: clientId, request_uri: requestUri });
    const page = await client.exchange({ method: 'GET', path: `/authorize?${query.toString()}` });
    const action = /<form method="post" action="([^"]+)">/.exec(page.body)?.[1] ?? '';
    const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescaped(value)]));
    const cookie = page.headers['set-cookie']?.split(';')[0] ?? '';
    const decision = form({ ...fields, approve: 'approve' });
    const decided = await client.exchange({ method: 'POST', path: action, headers: { cookie }, ...decision });
    const code = new URL(decided.headers['location'] ?? redirectUri).searchParams.get('code');
    if (code === null) throw new Error(`There is no code: ${decided.status} ${decided.body.slice(0, 500)}`);
    return code;
  }

  private anotherAddress(): Record<string, string> {
    const { started } = this;
    return { 'x-forwarded-for': `10.${(started >> 16) & 255}.${(started >> 8) & 255}.${started & 255}` };
  }

  private post(
    client: HttpClient,
    holder: Holder,
    path: string,
    { headers: more, ...content }: Pick<Exchange, 'type' | 'body' | 'headers'>,
    token?: string,
  ): Promise<string> {
    const dpop = dpopProof(holder, `${this.issuer.identifier}${path}`, token);
    const headers = { ...more, dpop, ...(token !== undefined && { authorization: `DPoP ${token}` }) };
    return client.send({ method: 'POST', path: `/openid4vci${path}`, headers, ...content });
  }
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)));
}
