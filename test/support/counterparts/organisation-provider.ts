import productConsole from 'node:console';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import type { Json } from '../http/requests';

export const consoleSecret = 'secret-of-the-console-at-the-provider';

interface Options {
  /** Where the console is, for its redirect URIs; may be said later. */
  readonly consoleUrls: () => readonly string[];
  /** Whether refresh tokens are given. */
  readonly refreshTokens?: boolean;
  /** Whether the console authenticates by its key, in the place of the secret. */
  readonly privateKeyJwt?: boolean;
}

/** The OpenID provider of an organisation, by an independent implementation. It logs in whoever sits before the browser. */
export class OrganisationProvider {
  /** Claims of people, by their subject: it lets nobody else go on. */
  readonly people = new Map<string, Json>();
  /** Who sits before the browser. */
  person = 'erika';
  /** Where a person goes back without logging in. */
  isCancelling = false;
  /** Milliseconds ago that people have logged in. */
  loggedInAgo = 0;
  isDown = false;
  /** How often a refresh token came. */
  refreshed = 0;
  /** Of the latest sign-in, for the console. */
  sid = '';
  private provider: Provider | undefined;
  private readonly key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  private readonly sockets = new Set<{ destroy(): void }>();

  private constructor(
    private readonly server: Server,
    private readonly library: typeof Provider,
    private readonly options: Options,
  ) {}

  static async start(options: Options): Promise<OrganisationProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { Provider: library } = await quietly(() => import('oidc-provider'));
    const organisation = new OrganisationProvider(server, library, options);
    server.on('connection', (socket) => organisation.sockets.add(socket));
    server.on('request', (request, response) => void organisation.answer(request, response));
    return organisation;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `http://${this.host}`;
  }

  /** What the service is told of it. */
  get settings(): Record<string, string> {
    return {
      SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: this.host,
      SERVICE__CONSOLE__OPENID__ISSUER: this.issuer,
      SERVICE__CONSOLE__OPENID__CLIENT_ID: 'console',
      ...(this.options.privateKeyJwt === true
        ? { SERVICE__CONSOLE__OPENID__AUTHENTICATION: 'private_key_jwt' }
        : { SERVICE__CONSOLE__OPENID__CLIENT_SECRET: consoleSecret }),
    };
  }

  /** Tells the console that the person of the latest sign-in has signed out here. */
  async signOut(): Promise<void> {
    const client = await this.provider?.Client.find('console');
    const { backchannelLogout } = client as unknown as { backchannelLogout(sub: string, sid: string): Promise<void> };
    await backchannelLogout.call(client, this.person, this.sid);
  }

  /** A logout token as of the provider. @param changed members; without one where it is `undefined` */
  logoutToken(changed: Json = {}, key = this.key): Promise<string> {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 120 };
    const claims = { iss: this.issuer, aud: 'console', sub: this.person, sid: this.sid, jti: randomUUID(), events };
    return new SignJWT({ ...claims, ...times, ...changed })
      .setProtectedHeader({ alg: 'ES256', kid: 'es', typ: 'logout+jwt' })
      .sign(key);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isDown) {
      response.writeHead(503).end();
      return;
    }
    const provider = (this.provider ??= await quietly(() => Promise.resolve(this.configured())));
    if (request.url?.startsWith('/interaction/') !== true) {
      await provider.callback()(request, response);
      return;
    }
    const ts = Math.floor((Date.now() - this.loggedInAgo) / 1000);
    const result = this.isCancelling
      ? { error: 'access_denied', error_description: 'The person went back.' }
      : { login: { accountId: this.person, ts, remember: false } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  private configured(): Provider {
    const urls = this.options.consoleUrls();
    const configuration: Configuration = {
      clients: [
        {
          client_id: 'console',
          ...this.authenticationOf(urls[0] ?? ''),
          id_token_signed_response_alg: 'ES256',
          backchannel_logout_uri: `${urls[0]}/console/sign-in/backchannel-logout`,
          backchannel_logout_session_required: true,
          redirect_uris: urls.map((url) => `${url}/console/sign-in/callback`),
          post_logout_redirect_uris: urls.map((url) => `${url}/console`),
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub', 'groups', 'realm_access', 'tenants'], profile: ['name'] },
      findAccount: (_context, sub) => {
        const claims = this.people.get(sub);
        return claims && { accountId: sub, claims: () => ({ sub, ...claims }) };
      },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (context, form) => {
            const button = '<button type="submit" form="op.logoutForm" name="logout" value="yes">Yes</button>';
            context.body = `<!doctype html><title>Signing out</title>${form}${button}`;
          },
        },
        backchannelLogout: { enabled: true },
      },
      // Without its dispatcher, which reaches no loopback address.
      fetch: (url, options) => {
        const { dispatcher: _unused, ...others } = options ?? {};
        return fetch(url, others);
      },
      jwks: { keys: [{ ...this.key.export({ format: 'jwk' }), kid: 'es', alg: 'ES256', use: 'sig' }] },
      issueRefreshToken: () => {
        return this.options.refreshTokens !== false;
      },
      loadExistingGrant: async (context) => {
        const { client, session } = context.oidc;
        const grant = new context.oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
        grant.addOIDCScope('openid profile');
        await grant.save();
        return grant;
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['only-for-tests'] },
      pkce: { required: () => true },
      ttl: {
        ...{ AccessToken: 300, AuthorizationCode: 60, IdToken: 300, Interaction: 600 },
        ...{ Grant: 3600, RefreshToken: 3600, Session: 3600 },
      },
    };
    const provider = new this.library(this.issuer, asOfProduct(configuration) as Configuration);
    provider.on('authorization.success', ({ oidc }) => (this.sid = oidc.session?.sidFor('console') ?? ''));
    provider.on('grant.success', (context) => {
      if (context.oidc.params?.['grant_type'] === 'refresh_token') this.refreshed++;
    });
    return provider;
  }

  private authenticationOf(url: string): Json {
    if (this.options.privateKeyJwt !== true) return { client_secret: consoleSecret };
    return {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks_uri: `${url}/authorize/login/jwks.json`,
    };
  }
}

/** Without the warnings that this runtime is old and that its memory does not last, which a test need not care for. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = productConsole;
  productConsole.warn = (...words) => {
    if (!String(words[0]).startsWith('oidc-provider ')) warn(...words);
  };
  try {
    return await work();
  } finally {
    productConsole.warn = warn;
  }
}

/** Of the realm in which packages are loaded. */
const ObjectOfProduct = (Reflect.getPrototypeOf(Error.prototype) as object).constructor as new () => object;

/** The provider takes only plain objects of its own realm. */
function asOfProduct(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asOfProduct);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, asOfProduct(one)] as const);
  return Object.assign(new ObjectOfProduct(), Object.fromEntries(entries));
}
