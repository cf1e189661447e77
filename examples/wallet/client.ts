import { createHash, randomBytes } from 'node:crypto';
import { clientAuthenticationAnonymous } from '@openid4vc/oauth2';
import { Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci';
import { WalletFailure } from './failure';
import { type HolderKey, publicJwk, signJwt } from './keys';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

// A development wallet talks to http://localhost and to the laptop's LAN address.
setGlobalConfig({ allowInsecureUrls: true });

/** Gives up after 15 seconds. */
export const fetchInTime: Fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(15_000) });

/** GET that answers a JSON object; anything else is a WalletFailure that names the address. */
export async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetchInTime(url, { headers: { accept: 'application/json' } });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  throw new WalletFailure(`${url} answered ${response.status} without a JSON object.`);
}

export const hash = (data: string | Uint8Array | ArrayBuffer, algorithm: string): Uint8Array =>
  createHash(algorithm.replace('-', ''))
    .update(data as string)
    .digest();

/** The client library of issuing, with this wallet's cryptography behind it; `key` signs proofs. */
export function issuanceClient(key?: HolderKey, send: Fetch = fetchInTime): Openid4vciClient {
  return new Openid4vciClient({
    callbacks: {
      fetch: send,
      hash,
      generateRandom: (length) => randomBytes(length),
      clientAuthentication: clientAuthenticationAnonymous(),
      signJwt: async (_signer, { header, payload }) => {
        if (!key) throw new WalletFailure('The wallet has no key to sign with.');
        return { jwt: await signJwt(key, header, payload), signerJwk: publicJwk(key) };
      },
    },
  });
}
