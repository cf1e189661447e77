import { type OutboundClient, OutboundError, type OutboundResponse } from '@app/outbound';
import { apart } from '@app/primitives/context';
import type { ClientAuth, Configuration, CustomFetch, CustomFetchOptions, DPoPHandle } from 'openid-client';
import { LoginFailure } from './login-failure';
import type { LoginKeys } from './login-keys';
import { type KeySet, ProviderKeys } from './provider-keys';

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

/** As the library takes it. */
export type DPoPOption = { readonly DPoP: DPoPHandle } | undefined;

/** How a client of a provider is set; the members of `SERVICE__IDENTIFICATION__OPENID__*` that requests to it need. */
export interface LoginClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authentication: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  readonly scope: string;
  readonly dpop: boolean;
  readonly idTokenSignedResponseAlg: string;
  readonly userinfoSignedResponseAlg: string;
  readonly userinfoEncrypted: boolean;
  readonly acrValues: readonly string[];
  /** Seconds; any time when 0. */
  readonly maxAge: number;
}

type ProviderRequest = Pick<CustomFetchOptions, 'method' | 'headers'> & { readonly body?: unknown };

/** The library as the settings want it, with one configuration for each login. */
export class ProviderClient {
  private metadata: { readonly answer: Promise<OutboundResponse>; readonly until: number } | undefined;
  private keys: ProviderKeys | undefined;

  constructor(
    private readonly openid: LoginClientSettings,
    private readonly outbound: Pick<OutboundClient, 'exchange' | 'get'>,
    private readonly library: OpenIdClient,
    private readonly ownKeys: Pick<LoginKeys, 'signing' | 'decrypting'>,
  ) {}

  /** Fetches the metadata, whether they are known or not, which are those of this provider. */
  async discover(): Promise<OutboundResponse> {
    let answer: OutboundResponse | undefined;
    await this.configured(async (url, options) => responseOf((answer = await this.exchange(url, options))));
    if (!answer) throw new Error('no request was sent');
    return answer;
  }

  async configuration(): Promise<Configuration> {
    const answer = await this.known();
    return this.configured(() => Promise.resolve(responseOf(answer)), await this.authentication());
  }

  /** Where the browser is sent to log in; a provider that takes pushed requests gets one. @param prompt empty for none */
  async authorizationUrl(
    configuration: Configuration,
    asked: {
      readonly redirectUri: string;
      readonly binding: LoginBinding;
      readonly prompt: string;
      readonly maxAge?: number;
    },
  ): Promise<URL> {
    const { redirectUri, binding, prompt, maxAge = this.openid.maxAge } = asked;
    const metadata = configuration.serverMetadata();
    const { scope, acrValues } = this.openid;
    const parameters = {
      redirect_uri: redirectUri,
      scope,
      state: binding.state,
      nonce: binding.nonce,
      code_challenge: await this.library.calculatePKCECodeChallenge(binding.verifier),
      code_challenge_method: 'S256',
      ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
      ...(maxAge > 0 && { max_age: String(maxAge) }),
      ...(prompt !== '' && { prompt: knownPrompt(prompt, metadata['prompt_values_supported']) }),
    };
    return metadata.pushed_authorization_request_endpoint === undefined
      ? this.library.buildAuthorizationUrl(configuration, parameters)
      : this.library.buildAuthorizationUrlWithPAR(configuration, parameters);
  }

  /** Of a key of its own for each login, which ends with it; `undefined` where the settings want no DPoP. */
  async dpopOption(configuration: Configuration): Promise<DPoPOption> {
    if (!this.openid.dpop) return undefined;
    return { DPoP: this.library.getDPoPHandle(configuration, await this.library.randomDPoPKeyPair('ES256')) };
  }

  /** @returns where the provider leads a browser that knows nobody; undefined where it shows a page of its own */
  async cameBack(url: URL): Promise<{ readonly status: number; readonly location: string | undefined }> {
    const headers = { accept: 'text/html' };
    const { status, headers: answered } = await this.exchange(url.href, { method: 'GET', headers });
    return { status, location: answered?.['location'] };
  }

  /** With the keys that verify and decrypt what the provider answers. */
  async readingConfiguration(): Promise<Configuration> {
    const configuration = await this.configuration();
    await this.useKeys(configuration);
    const keys = await this.ownKeys.decrypting();
    if (keys.length > 0) this.library.enableDecryptingResponses(configuration, undefined, ...keys);
    return configuration;
  }

  /** The keys by which it signs, as they were last fetched. */
  async publishedKeys(): Promise<KeySet> {
    await this.readingConfiguration();
    return this.keys?.current() ?? { keys: [] };
  }

  /** Failed ones are asked for again by the next login. */
  private known(): Promise<OutboundResponse> {
    if (this.metadata && performance.now() < this.metadata.until) return this.metadata.answer;
    const asked = this.discover();
    const answer = apart(() => asked.then((known) => known));
    this.metadata = { answer, until: performance.now() + metadataLifetime };
    answer.catch(() => (this.metadata = undefined));
    return answer;
  }

  /** @param fetchMetadata what is asked for the metadata */
  private async configured(fetchMetadata: CustomFetch, authentication?: ClientAuth): Promise<Configuration> {
    const { issuer, clientId, idTokenSignedResponseAlg, userinfoSignedResponseAlg } = this.openid;
    const server = new URL(issuer);
    const algorithms = {
      ...(idTokenSignedResponseAlg !== '' && { id_token_signed_response_alg: idTokenSignedResponseAlg }),
      ...(userinfoSignedResponseAlg !== '' && { userinfo_signed_response_alg: userinfoSignedResponseAlg }),
    };
    const configuration = await this.library.discovery(server, clientId, algorithms, authentication, {
      [this.library.customFetch]: fetchMetadata,
      // Only hosts of SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS are reached so.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out
      execute: server.protocol === 'http:' ? [this.library.allowInsecureRequests] : [],
    });
    const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
    configuration[this.library.customFetch] = (url, options) => this.answerTo(url, options, url === userinfo);
    // The signature of an ID token is checked, too, not only where it came from.
    this.library.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  private async authentication(): Promise<ClientAuth> {
    const { authentication, clientSecret } = this.openid;
    if (authentication === 'private_key_jwt') return this.library.PrivateKeyJwt(await this.ownKeys.signing());
    if (clientSecret === '') return this.library.None();
    // RFC 6749 §2.3.1: every provider knows the Basic scheme.
    return authentication === 'client_secret_post'
      ? this.library.ClientSecretPost(clientSecret)
      : this.library.ClientSecretBasic(clientSecret);
  }

  /**
   * The library keeps keys for a minute, in which it takes no new one. So it begins with those that are kept here, as if they were
   * that old, and asks for newer ones when it meets another key.
   */
  private async useKeys(configuration: Configuration): Promise<void> {
    const address = configuration.serverMetadata().jwks_uri;
    if (address === undefined) {
      throw new LoginFailure('login-answer-unreadable', { words: 'the metadata of the provider name no jwks_uri' });
    }
    if (this.keys?.address !== address) this.keys = new ProviderKeys(address, this.outbound);
    const jwks = await this.keys.current();
    this.library.setJwksCache(configuration, { jwks, uat: Math.floor(Date.now() / 1000) - libraryKeepsKeysFor });
  }

  private async answerTo(url: string, options: CustomFetchOptions, isUserinfo: boolean): Promise<Response> {
    if (this.keys?.address === url) return Response.json(await this.keys.newer());
    const answer = await this.exchange(url, options);
    if (isUserinfo) this.judgeUserinfo(answer);
    return responseOf(answer, isUserinfo);
  }

  private judgeUserinfo({ status, headers, body }: OutboundResponse): void {
    // The library reads what a challenge says, which may ask for another DPoP proof.
    if (status !== 200 && headers?.['www-authenticate'] === undefined) {
      throw new LoginFailure('login-userinfo-refused', { status });
    }
    if (status === 200 && this.openid.userinfoEncrypted) assertEncrypted(body.toString('utf8'), 'UserInfo');
  }

  private async exchange(url: string, { method, headers, body }: ProviderRequest): Promise<OutboundResponse> {
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

/** A provider that says which prompts it knows (OpenID Connect Prompt Create §4.1) ignores others: it would let the same person in. */
function knownPrompt(prompt: string, known: unknown): string {
  return Array.isArray(known) && !known.includes(prompt) ? 'login' : prompt;
}

/** The parts of a JWE (RFC 7516 §7.1) are five. */
export function assertEncrypted(jwt: string, what: string): void {
  if (jwt.split('.').length === 5) return;
  throw new LoginFailure('login-answer-unreadable', { words: `the ${what} is not encrypted, as the settings demand` });
}

/** @param hasChallenge where an error is in the header (RFC 6750 §3); elsewhere it is in the body, which the library then would not read */
function responseOf({ status, contentType, body, headers }: OutboundResponse, hasChallenge = false): Response {
  const kept = ['dpop-nonce', ...(hasChallenge ? ['www-authenticate'] : [])];
  return new Response(body.length === 0 ? null : new Uint8Array(body), {
    status,
    headers: [
      ['content-type', contentType],
      ...kept.flatMap((name): [string, string][] => {
        const value = headers?.[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ],
  });
}
