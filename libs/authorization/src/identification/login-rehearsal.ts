import type { Settings } from '@app/config';
import type { KeyRing } from '@app/keys';
import { walletUrls } from '@app/openid4vc';
import type { OutboundClient } from '@app/outbound';
import { randomBytes } from 'node:crypto';
import type { Configuration } from 'openid-client';
import { LoginFailure } from './login-failure';
import { signingKeyOf } from './login-keys';
import { type DPoPOption, type LoginBinding, type OpenIdClient, ProviderClient } from './provider-client';
import { failureOf, faultOfAnswer } from './provider-failure';
import { errorCodeOf, wordsOf } from './provider-words';

/** Of a provider that takes the request and has nobody logged in (OpenID Connect Core §3.1.2.6). */
const nobodyLoggedIn = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

/**
 * Asks the OpenID provider as for a login, as far as that goes without a person: whether it takes the client, what the request says,
 * and how the service authenticates.
 * @param ring for `private_key_jwt` alone
 * @returns why nobody can log in
 */
export async function rehearseLogin(
  settings: Settings,
  outbound: OutboundClient,
  ring: Pick<KeyRing, 'localKey' | 'cryptoKeys'> | undefined,
): Promise<LoginFailure | undefined> {
  const library = await import('openid-client');
  const binding = { state: random(), nonce: random(), verifier: random() };
  const { clientSecret } = settings.identification.openid;
  const keys = {
    signing: () => (ring ? signingKeyOf(ring) : Promise.reject(new Error('no keys'))),
    decrypting: () => Promise.resolve([]),
  };
  const redirectUri = walletUrls(settings.applicationUrl).loginCallback;
  try {
    const client = new ProviderClient(settings.identification.openid, outbound, library, keys);
    const configuration = await client.configuration();
    const url = await client.authorizationUrl(configuration, { redirectUri, binding, prompt: 'none' });
    judgeAnswer(await client.cameBack(url), redirectUri, [clientSecret]);
    const dpop = await client.dpopOption(configuration);
    await redeemNothing(library, configuration, { redirectUri, binding, dpop });
    return undefined;
  } catch (error) {
    return failureOf(library, error, [clientSecret, ...Object.values(binding)]);
  }
}

function judgeAnswer(
  { status, location }: { readonly status: number; readonly location: string | undefined },
  redirectUri: string,
  secrets: readonly string[],
): void {
  // What is not led back, or not at once, is shown to the person: an error, or a login in spite of `prompt=none`.
  if (location === undefined || !location.startsWith(redirectUri)) {
    if (status < 400) return;
    const words = 'the provider shows an error instead of coming back: it may not know the client or its redirect URI';
    throw new LoginFailure('login-request-refused', { status, words });
  }
  const answer = new URL(location).searchParams;
  const error = answer.get('error');
  if (error === null || nobodyLoggedIn.includes(error)) return;
  const words = wordsOf(answer.get('error_description'), secrets);
  throw new LoginFailure(faultOfAnswer(error), { error: errorCodeOf(error, secrets), words });
}

/** A code that nobody has is refused, but not before the client, and for many providers its proof, were found to be right. */
async function redeemNothing(
  library: OpenIdClient,
  configuration: Configuration,
  asked: { readonly redirectUri: string; readonly binding: LoginBinding; readonly dpop: DPoPOption },
): Promise<void> {
  const { state, verifier } = asked.binding;
  const answer = { code: random(), state, iss: configuration.serverMetadata().issuer };
  const url = new URL(`${asked.redirectUri}?${new URLSearchParams(answer).toString()}`);
  const checks = { expectedState: state, pkceCodeVerifier: verifier };
  try {
    await library.authorizationCodeGrant(configuration, url, checks, undefined, asked.dpop);
  } catch (error) {
    const { fault } = failureOf(library, error, [answer.code]);
    if (fault === 'login-client-refused' || fault === 'login-binding-refused') throw error;
  }
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
