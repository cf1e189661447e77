import { randomBytes } from 'node:crypto';
import { WalletFailure } from './failure';
import { generateHolderKey } from './holder-key';
import { fetchInTime } from './issuance-client';
import { askingForEncryption, openRequestObject } from './request-object-encryption';

/** What stands behind a request link before anything of it is believed. */
export interface ReadRequest {
  /** Parameters of the link itself; JSON ones are parsed. */
  readonly outer: Readonly<Record<string, unknown>>;
  /** The signed request object, when the link carries or names one. */
  readonly requestObject: string | undefined;
  /** Set when the request object was asked for by POST and must repeat it. */
  readonly walletNonce: string | undefined;
}

const schemes = ['openid4vp:', 'siopv2:', 'openid:', 'openid-vc:', 'haip-vp:', 'haip:', 'https:', 'http:'];
const jsonParameters = [
  'presentation_definition',
  'dcql_query',
  'client_metadata',
  'transaction_data',
  'verifier_info',
];
/** OpenID4VP 1.0 §10: what the wallet says of itself when a verifier lets it. */
const walletMetadata = {
  vp_formats_supported: {
    'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'EdDSA'], 'kb-jwt_alg_values': ['ES256', 'EdDSA'] },
    jwt_vc_json: { alg_values: ['ES256', 'EdDSA'] },
  },
  client_id_prefixes_supported: ['decentralized_identifier', 'redirect_uri', 'x509_hash', 'x509_san_dns'],
  request_object_signing_alg_values_supported: ['ES256', 'EdDSA'],
};

/** Reads an authorization request link by value or by reference; fetches the request object by GET or POST. */
export async function readRequest(link: string): Promise<ReadRequest> {
  const { protocol, searchParams } = URL.canParse(link) ? new URL(link) : { protocol: '', searchParams: undefined };
  if (!searchParams || !schemes.includes(protocol)) {
    throw new WalletFailure(
      'This is not a request link; one begins with openid4vp://, haip-vp://, siopv2:// or openid://.',
    );
  }
  const outer = parameters(searchParams);
  const { request, request_uri: uri, request_uri_method: method = 'get' } = outer;
  if (request !== undefined && uri !== undefined) throw new WalletFailure('The link has both request and request_uri.');
  if (typeof uri !== 'string') return { outer, requestObject: text(request), walletNonce: undefined };
  if (method !== 'get' && method !== 'post') {
    throw new WalletFailure(`request_uri_method is ${String(method)}; it is get or post.`);
  }
  const walletNonce = method === 'post' ? randomBytes(16).toString('base64url') : undefined;
  return { outer, requestObject: await fetchRequestObject(uri, walletNonce), walletNonce };
}

async function fetchRequestObject(uri: string, walletNonce: string | undefined): Promise<string> {
  const headers = { accept: 'application/oauth-authz-req+jwt' };
  const ours = await generateHolderKey('ES256');
  const metadata = { ...walletMetadata, ...askingForEncryption(ours) };
  const form = { wallet_metadata: JSON.stringify(metadata), wallet_nonce: walletNonce ?? '' };
  const response = await fetchInTime(
    uri,
    walletNonce === undefined ? { headers } : { method: 'POST', headers, body: new URLSearchParams(form) },
  );
  const body = (await response.text()).trim();
  if (!response.ok) throw new WalletFailure(`The verifier answered ${response.status} to ${uri}.`);
  return openRequestObject(body, ours);
}

function parameters(search: URLSearchParams): Record<string, unknown> {
  const names = [...search.keys()];
  // RFC 6749 §3.1: request parameters must not be included more than once.
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new WalletFailure(`The link repeats the parameter ${repeated}.`);
  return Object.fromEntries(
    [...search].map(([name, value]): [string, unknown] => [name, jsonParameters.includes(name) ? json(value) : value]),
  );
}

function json(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new WalletFailure('A JSON parameter of the link is not valid JSON.');
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
