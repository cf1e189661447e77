import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  calculateJwkThumbprint,
  CompactEncrypt,
  createRemoteJWKSet,
  EmbeddedJWK,
  exportJWK,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Json } from '../http/requests';

/** What the provider does otherwise than was agreed. */
export interface Deviations {
  readonly idToken?: 'plain' | 'other-key';
  readonly userInfo?: 'plain' | 'other-key' | 'other-subject' | 'unsigned' | 'refused';
  readonly tokenType?: 'Bearer';
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: Json | string;
  readonly nonce?: string;
}

const nonce = 'nonce-of-the-provider';

/** As FAPI 2.0 wants providers: pushed requests, `private_key_jwt`, DPoP with a nonce, and all answers signed and encrypted. */
export class StrictOpenIdProvider {
  claims: Json = {};
  deviations: Deviations = {};
  /** Of the client, where it publishes its keys. */
  jwksUri = '';
  private readonly pushed = new Map<string, URLSearchParams>();
  private readonly codes = new Map<string, URLSearchParams>();
  private readonly key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private boundTo = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StrictOpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new StrictOpenIdProvider(server);
    server.on('request', (request: IncomingMessage, response) => {
      const refused = (error: unknown): Answer => ({
        status: 400,
        body: { error: 'invalid_request', error_description: String(error) },
      });
      void provider
        .answer(request)
        .catch(refused)
        .then(({ status, body, type = 'application/json', nonce: given }) => {
          response.writeHead(status, { 'content-type': type, ...(given !== undefined && { 'dpop-nonce': given }) });
          response.end(typeof body === 'string' ? body : JSON.stringify(body));
        });
    });
    return provider;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `http://${this.host}`;
  }

  stop(): void {
    this.server.close();
  }

  /** What the browser brings back. @param address with the pushed request */
  loggedIn(address: string): string {
    const asked = this.pushed.get(new URL(address).searchParams.get('request_uri') ?? '');
    if (!asked) throw new Error('no request was pushed');
    const code = randomUUID();
    this.codes.set(code, asked);
    const answer = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.issuer });
    return `${asked.get('redirect_uri') ?? ''}?${answer.toString()}`;
  }

  /** The prompt of a pushed request. */
  asked(address: string): string | undefined {
    return this.pushed.get(new URL(address).searchParams.get('request_uri') ?? '')?.get('prompt') ?? undefined;
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    const { issuer } = this;
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return {
          status: 200,
          body: {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            pushed_authorization_request_endpoint: `${issuer}/par`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/userinfo`,
            jwks_uri: `${issuer}/jwks`,
            id_token_signing_alg_values_supported: ['RS256', 'ES256'],
            prompt_values_supported: ['none', 'login'],
          },
        };
      case '/jwks':
        return { status: 200, body: { keys: [{ ...(await exportJWK(this.key.publicKey)), kid: 'k' }] } };
      case '/par': {
        const form = await this.authenticated(request);
        const uri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`;
        this.pushed.set(uri, form);
        return { status: 201, body: { request_uri: uri, expires_in: 60 } };
      }
      case '/token':
        return this.token(request);
      case '/userinfo':
        return this.userInfo(request);
      default:
        return { status: 404, body: {} };
    }
  }

  private async token(request: IncomingMessage): Promise<Answer> {
    const form = await this.authenticated(request);
    const proof = await this.proven(request, 'POST', '/token');
    if (typeof proof !== 'string') return { ...proof, body: { error: 'use_dpop_nonce' } };
    this.boundTo = proof;
    const asked = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (challenge !== asked?.get('code_challenge')) return { status: 400, body: { error: 'invalid_grant' } };
    const signed = await this.signed({ nonce: asked.get('nonce'), given_name: this.claims['given_name'] });
    const idToken =
      this.deviations.idToken === 'plain' ? signed : await this.encrypted(signed, this.deviations.idToken);
    const type = this.deviations.tokenType ?? 'DPoP';
    return { status: 200, body: { access_token: 'upstream', token_type: type, id_token: idToken } };
  }

  private async userInfo(request: IncomingMessage): Promise<Answer> {
    const proof = await this.proven(request, 'GET', '/userinfo');
    if (proof !== this.boundTo || request.headers.authorization !== 'DPoP upstream') return { status: 401, body: {} };
    const { userInfo } = this.deviations;
    if (userInfo === 'refused') return { status: 403, body: { error: 'no' } };
    const claims = { ...this.claims, sub: userInfo === 'other-subject' ? 'u-2' : String(this.claims['sub']) };
    if (userInfo === 'unsigned') return { status: 200, body: claims };
    const signed = await this.signed(claims);
    const body = userInfo === 'plain' ? signed : await this.encrypted(signed, userInfo);
    return { status: 200, type: 'application/jwt', body };
  }

  /** Throws unless the request is by the client's key. */
  private async authenticated(request: IncomingMessage): Promise<URLSearchParams> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const keys = createRemoteJWKSet(new URL(this.jwksUri));
    await jwtVerify(form.get('client_assertion') ?? '', keys, {
      algorithms: ['ES256'],
      audience: this.issuer,
      issuer: 'cards',
      subject: 'cards',
      requiredClaims: ['jti', 'exp'],
    });
    return form;
  }

  /** @returns the thumbprint of the key of a DPoP proof, or that it wants a nonce */
  private async proven(request: IncomingMessage, method: string, path: string): Promise<string | Answer> {
    const { payload, protectedHeader } = await jwtVerify(String(request.headers['dpop']), EmbeddedJWK, {
      typ: 'dpop+jwt',
    });
    if (payload['nonce'] !== nonce) return { status: 400, body: {}, nonce };
    const ath = createHash('sha256').update('upstream').digest('base64url');
    const isAbout = payload['htm'] === method && payload['htu'] === this.issuer + path;
    if (!isAbout || (method === 'GET' && payload['ath'] !== ath)) throw new Error('DPoP proof of another request');
    return calculateJwkThumbprint(protectedHeader.jwk as JWK);
  }

  private signed(claims: Json): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(this.issuer)
      .setAudience('cards')
      .setSubject(String(claims['sub'] ?? this.claims['sub']))
      .setIssuedAt()
      .setExpirationTime('1 min')
      .sign(this.key.privateKey);
  }

  private async encrypted(jwt: string, to: string | undefined): Promise<string> {
    const { keys } = (await (await fetch(this.jwksUri)).json()) as { keys: (JWK & { use: string; kid: string })[] };
    const found = keys.find(({ use }) => use === 'enc');
    if (!found) throw new Error('the client has no key for encryption');
    const key = to === 'other-key' ? this.other.publicKey : await importJWK(found, 'ECDH-ES+A256KW');
    return new CompactEncrypt(new TextEncoder().encode(jwt))
      .setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', cty: 'JWT', kid: found.kid })
      .encrypt(key);
  }
}
