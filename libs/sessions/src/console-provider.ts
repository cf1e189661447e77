import {
  failureOf,
  LoginFailure,
  type LoginBinding,
  LoginKeys,
  type OpenIdClient,
  ProviderClient,
} from '@app/authorization';
import { rolesOfGroups, Settings } from '@app/config';
import { EncryptionKeys, KeyRing } from '@app/keys';
import { OutboundClient } from '@app/outbound';
import { inTenant } from '@app/primitives/context';
import { hasAtMost, type JsonObject } from '@app/primitives/json';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { type HeldRole, rolesIn, textsAt } from './roles';
import { longestSession } from './session';

/** Injection token of the library; `undefined` where nobody signs in. */
export const CONSOLE_OPENID_CLIENT = Symbol('CONSOLE_OPENID_CLIENT');

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** Who signed in, as the provider says. */
export interface SignedIn {
  /** `oauth:<issuer>|<sub>` */
  readonly subject: string;
  /** Of the session at the provider. */
  readonly sid: string | undefined;
  readonly name: string;
  readonly roles: readonly HeldRole[];
  /** Whose console they may enter, `-` for the service's own; undefined where no claim says so. */
  readonly tenants: readonly string[] | undefined;
  readonly authenticatedAt: Date | null;
  readonly refreshToken: string | undefined;
}

const longestName = 200;

/** The OpenID provider of the organisation. Throws `LoginFailure`. It is the same for every tenant. */
@Injectable()
export class ConsoleProvider {
  private readonly client: ProviderClient | undefined;
  private readonly openid: Settings['console']['openid'];

  constructor(
    settings: Settings,
    outbound: OutboundClient,
    @Inject(CONSOLE_OPENID_CLIENT) private readonly library: OpenIdClient | undefined,
    ring: KeyRing,
    encryption: EncryptionKeys,
  ) {
    this.openid = settings.console.openid;
    const { issuer, clientId, clientSecret, authentication, scope } = this.openid;
    const own = { issuer, clientId, clientSecret, authentication, scope };
    const usual = { dpop: false, idTokenSignedResponseAlg: '', userinfoSignedResponseAlg: '' };
    const client = { ...own, ...usual, userinfoEncrypted: false, acrValues: [], maxAge: 0 };
    this.client = library && new ProviderClient(client, outbound, library, new LoginKeys(ring, encryption));
  }

  get issuer(): string {
    return this.openid.issuer;
  }

  get clientId(): string {
    return this.openid.clientId;
  }

  /**
   * Where the browser is sent. A provider that is asked for an age says when the person logged in.
   * @param maxAge seconds; the person is asked for their credentials then
   */
  address(binding: LoginBinding, redirectUri: string, maxAge?: number): Promise<URL> {
    return this.asked(secretsOf(binding), async (_library, client) => {
      const again = maxAge === undefined ? { prompt: '', maxAge: longestSession } : { prompt: 'login', maxAge };
      return client.authorizationUrl(await client.configuration(), { redirectUri, binding, ...again });
    });
  }

  /** Who came back. @param address that they came back to, with its query */
  comeBack(address: URL, binding: LoginBinding, maxAge?: number): Promise<SignedIn> {
    const code = address.searchParams.get('code') ?? '';
    return this.asked([code, ...secretsOf(binding)], async (library, client) => {
      const configuration = await client.readingConfiguration();
      const tokens = await library.authorizationCodeGrant(configuration, address, {
        expectedState: binding.state,
        expectedNonce: binding.nonce,
        pkceCodeVerifier: binding.verifier,
        idTokenExpected: true,
        ...(maxAge !== undefined && { maxAge }),
      });
      const subject = tokens.claims()?.sub;
      if (subject === undefined) throw new LoginFailure('login-not-accepted');
      return this.personIn(await this.claimsOf(library, configuration, tokens, subject), subject, tokens);
    });
  }

  /** Who they are now. The failure is `login-code-refused` when they may not go on. @param subject as it was */
  again(refreshToken: string, subject: string): Promise<SignedIn> {
    return this.asked([refreshToken], async (library, client) => {
      const configuration = await client.readingConfiguration();
      const tokens = await library.refreshTokenGrant(configuration, refreshToken);
      const sub = subject.slice(this.subjectOf('').length);
      const claims = await this.claimsOf(library, configuration, tokens, sub);
      if (claims['sub'] !== sub) throw new LoginFailure('login-not-accepted');
      return this.personIn(claims, sub, tokens);
    });
  }

  /** Where a browser ends the session at the provider, if that takes one; nothing that is in it is secret. */
  signOutAddress(back: string): Promise<string | undefined> {
    return this.asked([], async (library, client) => {
      const configuration = await client.configuration();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href;
    });
  }

  /** The keys by which it signs logout tokens. */
  keys(): Promise<{ readonly keys: JsonObject[] }> {
    return this.asked([], (_library, client) => client.publishedKeys());
  }

  subjectOf(sub: string): string {
    return `oauth:${this.openid.issuer}|${sub}`;
  }

  private async claimsOf(
    library: OpenIdClient,
    configuration: Configuration,
    tokens: Tokens,
    subject: string,
  ): Promise<JsonObject> {
    const proven = (tokens.claims() ?? {}) as unknown as JsonObject;
    const hasMore = this.openid.userinfo && configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!hasMore) return proven;
    // Parsed from JSON.
    const more = (await library.fetchUserInfo(configuration, tokens.access_token, subject)) as unknown as JsonObject;
    return { ...more, ...proven };
  }

  private personIn(claims: JsonObject, sub: string, { refresh_token: refreshToken }: Tokens): SignedIn {
    const { auth_time: at, sid } = claims;
    const { rolesClaim, tenantsClaim } = this.openid;
    const names = [claims['name'], claims['preferred_username'], claims['email'], sub];
    const [name = sub] = names.filter((one) => typeof one === 'string').filter((one) => one.trim() !== '');
    return {
      subject: this.subjectOf(sub),
      sid: typeof sid === 'string' ? sid : undefined,
      name: name.slice(0, longestName),
      roles: rolesIn(claims, rolesClaim, rolesOfGroups(this.openid)),
      tenants: tenantsClaim === '' ? undefined : textsAt(claims, tenantsClaim),
      authenticatedAt: typeof at === 'number' && Number.isSafeInteger(at) ? new Date(at * 1000) : null,
      refreshToken,
    };
  }

  /** The provider knows the service, and none of its tenants. */
  private asked<R>(
    secrets: readonly string[],
    work: (library: OpenIdClient, client: ProviderClient) => Promise<R>,
  ): Promise<R> {
    return inTenant(undefined, async () => {
      const { library, client } = this;
      if (!library || !client) throw new LoginFailure('login-unavailable');
      try {
        return await work(library, client);
      } catch (error) {
        throw failureOf(library, error, [this.openid.clientSecret, ...secrets]);
      }
    });
  }
}

/** Whether a subject can stand in records: they have 512 characters for it. */
export function isUsable(subject: string): boolean {
  return hasAtMost(subject, 512) && !/[\p{Cc}]/u.test(subject);
}

function secretsOf({ state, nonce, verifier }: LoginBinding): readonly string[] {
  return [state, nonce, verifier];
}
