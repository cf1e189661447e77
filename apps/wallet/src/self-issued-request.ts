import { getOpenid4vpClientId } from '@openid4vc/openid4vp';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { WalletFailure } from './failure';
import { verifySignature } from './presentation-client';
import type { ReadRequest } from './request-link';

/** What the client library checks of a request's sender, for SIOPv2 requests, which it does not know. */
export async function verifySelfIssued(read: ReadRequest, source: string): Promise<JWTPayload> {
  const { outer, requestObject } = read;
  if (requestObject === undefined) return unsigned(outer);
  const { kid, typ = 'JWT' } = decodeProtectedHeader(requestObject);
  const payload = decoded(requestObject);
  if (payload['client_id'] !== outer['client_id']) {
    throw new WalletFailure('client_id does not match the request object client_id.');
  }
  // SIOPv2 draft 13 shows JWT in its examples; RFC 9101 §10.8 requires a specific type.
  if (typ !== 'oauth-authz-req+jwt' && typ !== 'JWT') throw new WalletFailure(`The request object has the typ ${typ}.`);
  const { clientIdPrefix, clientIdIdentifier } = clientIdOf(payload);
  if (clientIdPrefix !== 'decentralized_identifier' || kid?.split('#')[0] !== clientIdIdentifier) {
    throw new WalletFailure(`The request of ${String(payload['client_id'])} is not signed by this DID.`);
  }
  await verifySignature(requestObject, kid, source);
  const now = Date.now() / 1000;
  if ((payload.exp ?? now) < now || (payload.nbf ?? now) > now + 60)
    throw new WalletFailure('The request has expired.');
  if (read.walletNonce !== undefined && payload['wallet_nonce'] !== read.walletNonce) {
    throw new WalletFailure('The request object does not repeat the wallet_nonce.');
  }
  return payload;
}

/** Without a signature the client identifier is the very address the answer goes to (OpenID4VP 1.0 §5.9.3). */
function unsigned(outer: ReadRequest['outer']): JWTPayload {
  const target = outer['response_uri'] ?? outer['redirect_uri'];
  const id = String(outer['client_id']).replace(/^redirect_uri:/, '');
  if (target === undefined || id !== target) {
    throw new WalletFailure(`The request of ${String(outer['client_id'])} is not signed.`);
  }
  return outer;
}

function clientIdOf(payload: JWTPayload) {
  return getOpenid4vpClientId({
    clientId: String(payload['client_id']),
    responseMode: payload['response_mode'],
    legacyClientIdScheme: payload['client_id_scheme'],
  });
}

/** The claims of a request object, unverified. */
export function decoded(requestObject: string): JWTPayload {
  try {
    return decodeJwt(requestObject);
  } catch {
    throw new WalletFailure('The verifier did not send a request object (a signed JWT).');
  }
}
