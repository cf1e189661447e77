import { calculateJwkThumbprint } from 'jose';
import { elementsOf, presentMdoc } from '../../../examples/wallet/mdoc';
import type { Json } from '../http/requests';
import type { Holder } from '../wallets/key-proofs';
import type { Received } from './presenter';

/** An mdoc as the service has issued it. */
export interface HeldMdoc {
  readonly credential: string;
  readonly holder: Holder;
  readonly doctype: string;
}

/** Discloses elements, as `name space.element`, to the sender of a request: the value for `vp_token`. */
export async function presentOwnMdoc(
  { credential, holder, doctype }: HeldMdoc,
  received: Received,
  elements: readonly string[],
): Promise<string> {
  const held = { credential, type: doctype, claims: elementsOf(credential) };
  const privateJwk = holder.privateKey.export({ format: 'jwk' }) as Json;
  const key = { id: await calculateJwkThumbprint(privateJwk), algorithm: 'ES256' as const, privateJwk };
  const request = { payload: received.parameters, responseUri: received.responseUri };
  const [one, other] = [held, request] as unknown as [
    Parameters<typeof presentMdoc>[0],
    Parameters<typeof presentMdoc>[3],
  ];
  return (await presentMdoc(one, elements, key, other)).text;
}
