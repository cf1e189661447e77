import { createHash, randomBytes } from 'node:crypto';
import { clientAuthenticationAnonymous } from '@openid4vc/oauth2';
import { Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci';
import { WalletFailure } from './failure';
import { publicJwk, signJwt, type HolderKey } from './holder-key';
import type { FetchJson } from './issuer-key';

/** The drafts that can be selected; by default the wallet follows the metadata and prefers 1.0. */
export type Draft = '13';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const timeoutMs = 15_000;

// A development wallet talks to http://localhost and to the laptop's LAN address.
setGlobalConfig({ allowInsecureUrls: true });

/** The public client library with this wallet's crypto behind it; `key` signs the proofs. @param send in the place of `fetch` */
export function issuanceClient(
  draft: Draft | undefined,
  key: HolderKey | null,
  send: Fetch = fetchInTime,
): Openid4vciClient {
  return new Openid4vciClient({
    callbacks: {
      fetch: draft === '13' ? hidingFinalMetadata : send,
      hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
      generateRandom: (length) => randomBytes(length),
      clientAuthentication: clientAuthenticationAnonymous(),
      signJwt: async (_signer, { header, payload }) => {
        if (!key) throw new WalletFailure('The wallet has no key to sign with.');
        return { jwt: await signJwt(key, header, payload), signerJwk: publicJwk(key) };
      },
    },
  });
}

/** GET that answers a JSON object; anything else is a WalletFailure that names the address. */
export const fetchJson: FetchJson = async (url) => {
  const response = await fetchInTime(url, { headers: { accept: 'application/json' } });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || typeof body !== 'object' || body === null) {
    throw new WalletFailure(`${url} answered ${response.status} without a JSON object.`);
  }
  return body as Record<string, unknown>;
};

/** fetch that gives up after 15 seconds. */
export async function fetchInTime(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  return fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
}

/** Drafts 13 to 15 append the well-known path to the issuer's; a draft 13 wallet never asks at the inserted one. */
async function hidingFinalMetadata(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  if (pathname.startsWith('/.well-known/openid-credential-issuer/')) {
    return new Response('{}', { status: 404, headers: { 'content-type': 'application/json' } });
  }
  return fetchInTime(input, init);
}
