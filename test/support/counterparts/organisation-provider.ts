import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, Provider } from 'oidc-provider';
import type { Json } from '../http/requests';

export const consoleSecret = 'secret-of-the-console-at-the-provider';

interface Options {
  /** Where the console is, for its redirect URIs; may be said later. */
  readonly consoleUrls: () => readonly string[];
  /** Whether refresh tokens are given. */
  readonly refreshTokens?: boolean;
}

/** The OpenID provider of an organisation, by an independent implementation. It logs in whoever sits before the browser. */
export class OrganisationProvider {
  /** Claims of people, by their subject. */
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
  private provider: Provider | undefined;
  private readonly sockets = new Set<{ destroy(): void }>();

  private constructor(
    private readonly server: Server,
    private readonly options: Options,
  ) {}

  static async start(options: Options): Promise<OrganisationProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const organisation = new OrganisationProvider(server, options);
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
      SERVICE__CONSOLE__OPENID__CLIENT_SECRET: consoleSecret,
    };
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
    const provider = (this.provider ??= this.configured());
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
          client_secret: consoleSecret,
          redirect_uris: urls.map((url) => `${url}/console/sign-in/callback`),
          post_logout_redirect_uris: urls.map((url) => `${url}/console`),
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub', 'groups', 'realm_access', 'tenants'], profile: ['name'] },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...this.people.get(sub) }) }),
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
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
      ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, IdToken: 300, Interaction: 600, Session: 3600 },
    };
    const provider = new Provider(this.issuer, asOfProduct(configuration) as Configuration);
    provider.on('grant.success', (context) => {
      if (context.oidc.params?.['grant_type'] === 'refresh_token') this.refreshed++;
    });
    return provider;
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
