import { parseStrictJson, StrictJsonError } from '@app/primitives/json';
import { readParameters } from '../wire/form-parameters';
import { OAuthError, type Quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { readRequestObjectEncryption, type RequestObjectEncryption } from './request-object-encryption';
import { isWireObject, member, type WireObject } from '../wire/wire-object';

/** The wallet metadata that can change the request; an absent member is undefined. */
export interface WalletMetadata {
  /** JWS algorithms it can check a request object with. */
  readonly requestObjectAlgorithms?: readonly string[];
  /** `client_id_prefixes_supported`, or the `client_id_schemes_supported` of drafts before 26. */
  readonly clientIdPrefixes?: readonly string[];
  /** The format identifiers of `vp_formats_supported`. */
  readonly formats?: readonly string[];
  /** Absent: the wallet does not ask for an encrypted request object. */
  readonly encryption?: RequestObjectEncryption;
}

export interface RequestUriPost {
  /** To be repeated unchanged in the request object. */
  readonly walletNonce?: string;
  readonly walletMetadata?: WalletMetadata;
}

const LONGEST_METADATA = 65_536;
const LONGEST_NONCE_BYTES = 1_024;
const MOST_VALUES = 100;

/**
 * Reads the form of a POST at the request URI (OpenID4VP 1.0 §5.10).
 * @throws OAuthError invalid_request.
 */
export function parseRequestUriPost(parameters: Iterable<readonly [string, string]>): RequestUriPost {
  const values = readParameters(parameters, { wallet_metadata: LONGEST_METADATA });
  const walletNonce = values.get('wallet_nonce');
  if (walletNonce !== undefined && Buffer.byteLength(walletNonce) > LONGEST_NONCE_BYTES) {
    throw invalid('parameter-too-long', `wallet_nonce is longer than ${LONGEST_NONCE_BYTES} bytes.`);
  }
  const metadata = values.get('wallet_metadata');
  return {
    ...(walletNonce === undefined ? {} : { walletNonce }),
    ...(metadata === undefined ? {} : { walletMetadata: readMetadata(metadata) }),
  };
}

function readMetadata(json: string): WalletMetadata {
  let metadata: unknown;
  try {
    metadata = parseStrictJson(json);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const fault = error.explanation();
    throw invalid('wallet-metadata-malformed', `wallet_metadata is not JSON as it is expected: ${fault}.`);
  }
  if (!isWireObject(metadata)) throw invalid('wallet-metadata-malformed', 'wallet_metadata must be a JSON object.');
  const algorithms = readStrings(metadata, 'request_object_signing_alg_values_supported');
  const prefixes =
    readStrings(metadata, 'client_id_prefixes_supported') ?? readStrings(metadata, 'client_id_schemes_supported');
  const formats = member(metadata, 'vp_formats_supported');
  if (formats !== undefined && !isWireObject(formats))
    throw invalid('wallet-metadata-malformed', 'vp_formats_supported must be an object.');
  const encryption = readRequestObjectEncryption(metadata, {
    alg: readStrings(metadata, 'request_object_encryption_alg_values_supported'),
    enc: readStrings(metadata, 'request_object_encryption_enc_values_supported'),
  });
  return {
    ...(algorithms === undefined ? {} : { requestObjectAlgorithms: algorithms }),
    ...(prefixes === undefined ? {} : { clientIdPrefixes: prefixes }),
    ...(formats === undefined ? {} : { formats: Object.keys(formats).slice(0, MOST_VALUES) }),
    ...(encryption === undefined ? {} : { encryption }),
  };
}

function readStrings(metadata: WireObject, name: string): readonly string[] | undefined {
  const value = member(metadata, name);
  if (value === undefined) return undefined;
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (items === undefined || items.length > MOST_VALUES || !items.every((item) => typeof item === 'string')) {
    throw invalid('wallet-metadata-malformed', `${name} must be an array of at most ${MOST_VALUES} strings.`);
  }
  return items;
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
