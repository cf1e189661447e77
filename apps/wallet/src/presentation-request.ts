import {
  isOpenid4vpAuthorizationRequestDcApi,
  parseAuthorizationRequestVersion,
  type Openid4vpAuthorizationRequest,
} from '@openid4vc/openid4vp';
import type { X509Certificate } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { WalletFailure } from './failure';
import { presentationClient } from './presentation-client';
import type { ReadRequest } from './request-link';
import { decoded, verifySelfIssued } from './self-issued-request';
import { readTransactionData, type TransactionData } from './transaction-data';

/** Kinds of client identifier (OpenID4VP 1.0 §5.9.3) that this wallet can check. */
const knownPrefixes = ['decentralized_identifier', 'redirect_uri', 'x509_hash', 'x509_san_dns'];

/** A request whose sender is established. */
export interface PresentationRequest {
  /** The complete client identifier: the audience of everything that is presented. */
  readonly clientId: string;
  /** For people: who signed, or that the request is unsigned. */
  readonly sender: string;
  readonly protocol: string;
  readonly wantsPresentation: boolean;
  readonly wantsIdToken: boolean;
  readonly nonce: string;
  readonly state: string | undefined;
  /** Where the answer is posted to. */
  readonly responseUri: string;
  readonly dcqlQuery: unknown;
  readonly presentationDefinition: unknown;
  /** OpenID4VP 1.0 (draft 26 and later): a DCQL answer is a list per query. */
  readonly listsPresentations: boolean;
  /** What the person confirms by presenting; empty when there is nothing. */
  readonly transactionData: readonly TransactionData[];
  readonly payload: Openid4vpAuthorizationRequest;
}

/**
 * Establishes who asks and what is asked. Presentations go through the client library; what it does not know
 * (SIOPv2) is checked by the wallet itself. Throws when anything about the sender is in doubt.
 * `roots` vouch for senders that are named by a certificate.
 */
export async function verifyRequest(
  read: ReadRequest,
  roots: readonly X509Certificate[],
): Promise<PresentationRequest> {
  const { request_uri: requestUri, response_uri: responseUri } = read.outer;
  const source = String(requestUri ?? responseUri);
  const claimed: JWTPayload = read.requestObject === undefined ? read.outer : decoded(read.requestObject);
  const types = String(claimed['response_type']).split(' ');
  // The library refuses an id_token, and a scope (`openid` in requests of older wallets) in addition to a query.
  const beyondLibrary = types.includes('id_token') || claimed['scope'] !== undefined;
  const payload = beyondLibrary
    ? ((await verifySelfIssued(read, source)) as unknown as Openid4vpAuthorizationRequest)
    : await verifyPresentation(read, source, roots);
  return described(payload, types, read.requestObject);
}

async function verifyPresentation(
  read: ReadRequest,
  source: string,
  roots: readonly X509Certificate[],
): Promise<Openid4vpAuthorizationRequest> {
  const { request_uri: _uri, request_uri_method: _method, ...outer } = read.outer;
  const object = read.requestObject;
  const { client_id: clientId = '', client_id_scheme: scheme } = outer as {
    client_id?: string;
    client_id_scheme?: string;
  };
  const resolved = await presentationClient(source, roots).resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload:
      object === undefined
        ? outer
        : { client_id: clientId, ...(scheme === undefined ? {} : { client_id_scheme: scheme }), request: object },
    ...(read.walletNonce === undefined ? {} : { wallet: { expectedNonce: read.walletNonce } }),
  });
  const { prefix } = resolved.client;
  if (!knownPrefixes.includes(prefix)) {
    throw new WalletFailure(`The wallet does not know verifiers of the kind ${prefix}.`);
  }
  const { authorizationRequestPayload: payload } = resolved;
  if (isOpenid4vpAuthorizationRequestDcApi(payload)) throw new WalletFailure('The request is one for browsers.');
  return payload;
}

function described(
  payload: Openid4vpAuthorizationRequest,
  types: readonly string[],
  requestObject: string | undefined,
): PresentationRequest {
  const { client_id: clientId, nonce, state, response_mode: mode } = payload;
  const responseUri = payload.response_uri ?? payload.redirect_uri;
  if (responseUri === undefined || !/^(direct_post(\.jwt)?|post)$/.test(String(mode))) {
    throw new WalletFailure(`The response_mode is ${String(mode)}; this wallet answers by direct_post only.`);
  }
  if (typeof nonce !== 'string' || nonce === '') throw new WalletFailure('The request has no nonce.');
  const { presentation_definition: presentationDefinition, dcql_query: dcqlQuery } = payload as Record<string, unknown>;
  const wantsPresentation = types.includes('vp_token');
  const transactionData = readTransactionData(payload.transaction_data);
  if (transactionData.length > 0 && dcqlQuery === undefined) {
    throw new WalletFailure('The request has transaction_data without a dcql_query; nothing would confirm it.');
  }
  if (wantsPresentation && (dcqlQuery === undefined) === (presentationDefinition === undefined)) {
    throw new WalletFailure('The request must have exactly one of dcql_query and presentation_definition.');
  }
  const version = wantsPresentation ? parseAuthorizationRequestVersion(payload) : undefined;
  return {
    clientId,
    sender: requestObject === undefined ? 'unsigned' : 'signature verified',
    protocol: protocolOf(version),
    wantsPresentation,
    wantsIdToken: types.includes('id_token'),
    nonce,
    state,
    responseUri,
    dcqlQuery,
    presentationDefinition,
    listsPresentations: (version ?? 0) >= 26,
    transactionData,
    payload,
  };
}

function protocolOf(version: number | undefined): string {
  if (version === undefined) return 'SIOPv2';
  return version === 100 ? 'OpenID4VP 1.0' : `OpenID4VP draft ${version} or before`;
}
