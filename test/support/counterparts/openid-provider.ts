import { createHash, createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import type { Json } from '../http/requests';

/** What a provider says that lies, or is down. */
export interface Lies {
  readonly issuer?: string;
  readonly nonce?: string;
  readonly audience?: string;
  readonly expiresIn?: number;
  readonly subjectOfUserInfo?: string;
  readonly key?: 'other';
  readonly keyId?: string;
  /** In place of the answer to a token request. */
  readonly refusal?: { readonly status: number; readonly body: Json | string };
  /** Of the ID token. */
  readonly alg?: 'none' | 'HS256';
  readonly isDown?: true;
}

interface Answer {
  readonly status: number;
  /** HTML when a string. */
  readonly body: Json | string;
}

export const secret = 'secret of the client';

/** An OpenID provider for tests: whoever comes has logged in already. */
export class TestOpenIdProvider {
  /** Of the person who is logged in. */
  claims: Json = {};
  lies: Lies = {};
  /** Bodies of token requests. */
  readonly redeemed: URLSearchParams[] = [];
  private readonly codes = new Map<string, URLSearchParams>();
  private readonly keys = { own: newKey(), other: newKey() };
  private generation = 1;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestOpenIdProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new TestOpenIdProvider(server);
    server.on('request', (request: IncomingMessage, response) => {
      void provider.answer(request).then(({ status, body }) => {
        const isText = typeof body === 'string';
        response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' });
        response.end(isText ? body : JSON.stringify(body));
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

  /** Signs by a new key from now on, and publishes the former one no longer. */
  rotateKey(): void {
    this.keys.own = newKey();
    this.generation++;
  }

  /** What the browser brings back from the authorization endpoint. @param changes of the answer */
  loggedIn(address: string, changes: Record<string, string> = {}): string {
    const asked = new URL(address).searchParams;
    const code = randomUUID();
    this.codes.set(code, asked);
    const back = new URL(asked.get('redirect_uri') ?? '');
    const answer = { code, state: asked.get('state') ?? '', iss: this.issuer, ...changes };
    back.search = new URLSearchParams(answer).toString();
    return back.href;
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    if (this.lies.isDown) return { status: 503, body: {} };
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return { status: 200, body: this.metadata() };
      case '/jwks':
        return {
          status: 200,
          body: { keys: [{ ...(await exportJWK(this.keys.own.publicKey)), kid: this.keyId, alg: 'ES256' }] },
        };
      case '/token':
        return this.token(request);
      case '/userinfo':
        return { status: 200, body: this.userInfo() };
      default:
        return { status: 404, body: {} };
    }
  }

  private userInfo(): Json {
    return { ...this.claims, sub: this.lies.subjectOfUserInfo ?? this.claims['sub'] };
  }

  private get keyId(): string {
    return `key-${this.generation}`;
  }

  private metadata(): Json {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  private async token(request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    this.redeemed.push(form);
    if (this.lies.refusal) return this.lies.refusal;
    const asked = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!asked || challenge !== asked.get('code_challenge')) return { status: 400, body: { error: 'invalid_grant' } };
    const [name, given] = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64')
      .toString()
      .split(':');
    if (decodeURIComponent((given ?? '').replaceAll('+', ' ')) !== secret) {
      return { status: 401, body: { error: 'invalid_client' } };
    }
    const { nonce = asked.get('nonce') ?? '', audience = name ?? '', issuer = this.issuer, expiresIn = 60 } = this.lies;
    const now = Math.floor(Date.now() / 1000);
    const { sub, acr, auth_time = now } = this.claims;
    const token = await new SignJWT({ nonce, ...(acr !== undefined && { acr }), auth_time })
      .setProtectedHeader({ alg: 'ES256', kid: this.lies.keyId ?? this.keyId })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(String(sub))
      .setIssuedAt(now)
      .setExpirationTime(now + expiresIn)
      .sign(this.keys[this.lies.key ?? 'own'].privateKey);
    const idToken = this.lies.alg ? signedBy(this.lies.alg, token) : token;
    return { status: 200, body: { access_token: 'upstream', token_type: 'Bearer', id_token: idToken } };
  }
}

function newKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** The same claims, under no signature or under one by the secret of the client. */
function signedBy(alg: 'none' | 'HS256', token: string): string {
  const input = `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.${token.split('.')[1] ?? ''}`;
  const signature = alg === 'none' ? '' : createHmac('sha256', secret).update(input).digest('base64url');
  return `${input}.${signature}`;
}
