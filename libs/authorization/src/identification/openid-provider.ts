import { Settings } from '@app/config';
import { WALLET_URLS } from '@app/identity';
import type { JsonObject } from '@app/primitives/json';
import type { WalletUrls } from '@app/openid4vc';
import { OutboundClient } from '@app/outbound';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Configuration } from 'openid-client';
import type { Prompt } from '../authorize/identification-method';
import { mergedClaims } from './known-claims';
import { LoginFailure } from './login-failure';
import { LoginKeys } from './login-keys';
import {
  assertEncrypted,
  type DPoPOption,
  type LoginBinding,
  type OpenIdClient,
  ProviderClient,
} from './provider-client';
import { failureOf } from './provider-failure';

/** Injection token of the library; `undefined` when no provider is configured. */
export const OPENID_CLIENT = Symbol('OPENID_CLIENT');

/** Milliseconds in which a refusal counts, where nobody has logged in since: the provider may have been mended. */
const refusalCounts = 15 * 60 * 1000;

/** The OpenID provider at which people log in. Throws `LoginFailure`. */
@Injectable()
export class OpenIdProvider {
  private readonly logger = new Logger('Login');
  private readonly client: ProviderClient | undefined;
  private refusedUntil = -Infinity;

  constructor(
    private readonly settings: Settings,
    outbound: OutboundClient,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    @Inject(OPENID_CLIENT) private readonly library: OpenIdClient | undefined,
    keys: LoginKeys,
  ) {
    this.client = library && new ProviderClient(settings.identification.openid, outbound, library, keys);
  }

  get isConfigured(): boolean {
    return this.client !== undefined && this.settings.identification.openid.issuer !== '';
  }

  /** Whether the provider refused this service itself when it was last asked, and lately: nobody can log in until one of both is mended. */
  get refusesUs(): boolean {
    return performance.now() < this.refusedUntil;
  }

  /** Reads its metadata now, whether they are known or not. */
  async check(): Promise<void> {
    await this.attempt([], (_library, client) => client.discover());
  }

  /** Where the browser is sent to log in. @param again when somebody else is to log in than the one whom it knows */
  authorizationUrl(binding: LoginBinding, again?: Prompt): Promise<URL> {
    const prompt = again ?? this.settings.identification.openid.prompt;
    return this.logged(binding, [], async (_library, client) =>
      client.authorizationUrl(await client.configuration(), { redirectUri: this.urls.loginCallback, binding, prompt }),
    );
  }

  /** All that the provider says about the person who has logged in. @param query of the address that the browser came back to */
  claimsFrom(query: string, binding: LoginBinding): Promise<JsonObject> {
    const code = new URLSearchParams(query).get('code') ?? '';
    return this.logged(binding, [code], async (library, client) => {
      const configuration = await client.readingConfiguration();
      const dpop = await client.dpopOption(configuration);
      const tokens = await this.redeem(library, configuration, { query, binding, dpop });
      const { proven } = tokens;
      const { acrValues, userinfo } = this.settings.identification.openid;
      if (acrValues.length > 0 && !acrValues.some((one) => one === proven['acr'])) {
        throw new LoginFailure('login-too-weak', { words: 'the acr of the login is none of ACR_VALUES' });
      }
      const hasMore = userinfo && configuration.serverMetadata().userinfo_endpoint !== undefined;
      if (!hasMore) return proven;
      const more = await library.fetchUserInfo(configuration, tokens.accessToken, tokens.subject, dpop);
      // Parsed from JSON.
      return mergedClaims(proven, more as unknown as JsonObject);
    });
  }

  private async redeem(
    library: OpenIdClient,
    configuration: Configuration,
    { query, binding, dpop }: { readonly query: string; readonly binding: LoginBinding; readonly dpop: DPoPOption },
  ): Promise<{ readonly proven: JsonObject; readonly subject: string; readonly accessToken: string }> {
    const { maxAge, idTokenEncrypted } = this.settings.identification.openid;
    const tokens = await library.authorizationCodeGrant(
      configuration,
      new URL(`${this.urls.loginCallback}?${query}`),
      {
        expectedState: binding.state,
        expectedNonce: binding.nonce,
        pkceCodeVerifier: binding.verifier,
        idTokenExpected: true,
        ...(maxAge > 0 && { maxAge }),
      },
      undefined,
      dpop,
    );
    const proven = tokens.claims();
    if (!proven) throw new LoginFailure('login-not-accepted');
    if (idTokenEncrypted) assertEncrypted(tokens.id_token ?? '', 'ID token');
    if (dpop && tokens.token_type !== 'dpop') {
      throw new LoginFailure('login-binding-refused', {
        words: 'the provider answers with a token that is not bound by DPoP',
      });
    }
    return { proven: proven as unknown as JsonObject, subject: proven.sub, accessToken: tokens.access_token };
  }

  /** Says in the log why a login failed, and in the readiness when that is the fault of neither person nor network. */
  private async logged<R>(
    { state, nonce, verifier }: LoginBinding,
    secrets: readonly string[],
    work: (library: OpenIdClient, client: ProviderClient) => Promise<R>,
  ): Promise<R> {
    try {
      const done = await this.attempt([state, nonce, verifier, ...secrets], work);
      this.refusedUntil = -Infinity;
      return done;
    } catch (error) {
      if (error instanceof LoginFailure) this.note(error);
      throw error;
    }
  }

  private note({ fault, detail }: LoginFailure): void {
    // Of what the browser brings back, anybody can write it.
    if (fault === 'login-client-refused' && detail.status !== undefined) {
      this.refusedUntil = performance.now() + refusalCounts;
    }
    // The decision of a person is no fault.
    if (fault === 'login-cancelled' && detail.error === 'access_denied') return;
    this.logger.warn({ event: 'login.failed', reason: fault, ...detail }, 'A login at the provider failed');
  }

  private async attempt<R>(
    secrets: readonly string[],
    work: (library: OpenIdClient, client: ProviderClient) => Promise<R>,
  ): Promise<R> {
    const { library, client } = this;
    if (!library || !client || !this.isConfigured) throw new LoginFailure('login-unavailable');
    try {
      return await work(library, client);
    } catch (error) {
      throw failureOf(library, error, [this.settings.identification.openid.clientSecret, ...secrets]);
    }
  }
}
