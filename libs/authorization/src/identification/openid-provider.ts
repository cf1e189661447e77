import { Settings } from '@app/config';
import { WALLET_URLS } from '@app/identity';
import type { JsonObject } from '@app/json';
import type { WalletUrls } from '@app/openid4vc';
import { OutboundClient, OutboundError, type OutboundResponse } from '@app/outbound';
import { Inject, Injectable } from '@nestjs/common';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { Prompt } from '../authorize/identification-method';
import { LoginFailure } from './login-failure';
import { ProviderKeys } from './provider-keys';

/** Injection token of the library; `undefined` when no provider is configured. */
export const OPENID_CLIENT = Symbol('OPENID_CLIENT');
export type OpenIdClient = typeof import('openid-client');

/** Milliseconds for one request to the provider. */
const patience = 5_000;
/** Milliseconds after which its metadata is read again. */
const metadataLifetime = 60 * 60 * 1000;
/** Seconds in which the library takes no newer keys. */
const libraryKeepsKeysFor = 60;

/** What binds the answer of the provider to one login (OpenID Connect Core §3.1.2.1, RFC 7636). */
export interface LoginBinding {
  readonly state: string;
  readonly nonce: string;
  /** 43 characters. */
  readonly verifier: string;
}

/** The OpenID provider at which people log in. Throws `LoginFailure`. */
@Injectable()
export class OpenIdProvider {
  private metadata: { readonly answer: Promise<OutboundResponse>; readonly until: number } | undefined;
  private keys: ProviderKeys | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly outbound: OutboundClient,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    @Inject(OPENID_CLIENT) private readonly client: OpenIdClient | undefined,
  ) {}

  get isConfigured(): boolean {
    return this.client !== undefined;
  }

  /** Reads its metadata now, whether they are known or not. */
  async check(): Promise<void> {
    await this.attempt((client) => this.discover(client));
  }

  /** Where the browser is sent to log in. @param again when somebody else is to log in than the one whom it knows */
  authorizationUrl(binding: LoginBinding, again?: Prompt): Promise<URL> {
    return this.withConfiguration(async (client, configuration) => {
      const { scope, acrValues, maxAge } = this.settings.identification.openid;
      const prompt = again ?? this.settings.identification.openid.prompt;
      const parameters = {
        redirect_uri: this.urls.loginCallback,
        scope,
        state: binding.state,
        nonce: binding.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(binding.verifier),
        code_challenge_method: 'S256',
        ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
        ...(maxAge > 0 && { max_age: String(maxAge) }),
        ...(prompt !== '' && { prompt }),
      };
      const isPushed = configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined;
      return isPushed
        ? client.buildAuthorizationUrlWithPAR(configuration, parameters)
        : client.buildAuthorizationUrl(configuration, parameters);
    });
  }

  /** All that the provider says about the person who has logged in. @param query of the address that the browser came back to */
  claimsFrom(query: string, { state, nonce, verifier }: LoginBinding): Promise<JsonObject> {
    return this.withConfiguration(async (client, configuration) => {
      const { acrValues, maxAge } = this.settings.identification.openid;
      await this.useKeys(client, configuration);
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.urls.loginCallback}?${query}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(maxAge > 0 && { maxAge }),
        },
      );
      const proven = tokens.claims();
      if (!proven) throw new LoginFailure('login-not-accepted');
      if (acrValues.length > 0 && !acrValues.some((one) => one === proven.acr))
        throw new LoginFailure('login-too-weak');
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await client.fetchUserInfo(configuration, tokens.access_token, proven.sub) : {};
      // Both were parsed from JSON.
      return { ...more, ...proven } as unknown as JsonObject;
    });
  }

  private withConfiguration<R>(work: (client: OpenIdClient, configuration: Configuration) => Promise<R>): Promise<R> {
    return this.attempt(async (client) => work(client, await this.configuration(client)));
  }

  private async attempt<R>(work: (client: OpenIdClient) => Promise<R>): Promise<R> {
    const { client } = this;
    if (!client) throw new LoginFailure('login-unavailable');
    try {
      return await work(client);
    } catch (error) {
      throw failureOf(client, error);
    }
  }

  /** One for each login. */
  private async configuration(client: OpenIdClient): Promise<Configuration> {
    const answer = await this.metadataOf(client);
    return this.configured(client, () => Promise.resolve(responseOf(answer)));
  }

  /** Failed ones are asked for again by the next login. */
  private metadataOf(client: OpenIdClient): Promise<OutboundResponse> {
    if (this.metadata && performance.now() < this.metadata.until) return this.metadata.answer;
    const answer = this.discover(client);
    this.metadata = { answer, until: performance.now() + metadataLifetime };
    answer.catch(() => (this.metadata = undefined));
    return answer;
  }

  /** Fetches the metadata, which are those of this provider. */
  private async discover(client: OpenIdClient): Promise<OutboundResponse> {
    let answer: OutboundResponse | undefined;
    await this.configured(client, async (url, options) => responseOf((answer = await this.exchange(url, options))));
    if (!answer) throw new Error('no request was sent');
    return answer;
  }

  /** @param fetchMetadata what is asked for the metadata */
  private async configured(client: OpenIdClient, fetchMetadata: CustomFetch): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings.identification.openid;
    const server = new URL(issuer);
    const configuration = await client.discovery(server, clientId, undefined, authenticationBy(client, clientSecret), {
      [client.customFetch]: fetchMetadata,
      // Only hosts of SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS are reached so.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out
      execute: server.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    });
    configuration[client.customFetch] = (url, options) => this.answerTo(url, options);
    // The signature of an ID token is checked, too, not only where it came from.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /**
   * The library keeps keys for a minute, in which it takes no new one. So it begins with those that are kept here, as if they were
   * that old, and asks for newer ones when it meets another key.
   */
  private async useKeys(client: OpenIdClient, configuration: Configuration): Promise<void> {
    const address = configuration.serverMetadata().jwks_uri;
    if (address === undefined) throw new LoginFailure('login-not-accepted');
    if (this.keys?.address !== address) this.keys = new ProviderKeys(address, this.outbound);
    const jwks = await this.keys.current();
    client.setJwksCache(configuration, { jwks, uat: Math.floor(Date.now() / 1000) - libraryKeepsKeysFor });
  }

  private async answerTo(url: string, options: FetchOptions): Promise<Response> {
    if (this.keys?.address === url) return Response.json(await this.keys.newer());
    return responseOf(await this.exchange(url, options));
  }

  private async exchange(url: string, { method, headers, body }: FetchOptions): Promise<OutboundResponse> {
    const answer = await this.outbound.exchange(url, {
      purpose: 'login',
      requester: '',
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      timeoutMs: patience,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
    });
    if (answer.status >= 500) throw new OutboundError('unexpected-status', `the provider answered ${answer.status}`);
    return answer;
  }
}

function responseOf({ status, contentType, body }: OutboundResponse): Response {
  return new Response(body.length === 0 ? null : new Uint8Array(body), {
    status,
    headers: { 'content-type': contentType },
  });
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** RFC 6749 §2.3.1: every provider knows the Basic scheme. */
function authenticationBy(client: OpenIdClient, secret: string): ClientAuth {
  return secret === '' ? client.None() : client.ClientSecretBasic(secret);
}

function failureOf(client: OpenIdClient, error: unknown): LoginFailure {
  if (error instanceof LoginFailure) return error;
  if (error instanceof client.AuthorizationResponseError) {
    const isDown = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    return new LoginFailure(isDown ? 'login-unavailable' : 'login-cancelled', { cause: error });
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return new LoginFailure('login-unavailable', { cause: error });
  }
  return new LoginFailure('login-not-accepted', { cause: error });
}
