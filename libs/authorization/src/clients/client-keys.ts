import { parsePublicJwk, PublicJwkError } from '@app/primitives/jose';
import { isJsonObject, type JsonValue } from '@app/primitives/json';
import type { ClientKey } from './client-assertion';

/** The keys of a JWK Set that can be used here; `undefined` when it is none, or one of its keys is private. */
export function readClientKeys(jwks: JsonValue): readonly ClientKey[] | undefined {
  const keys = isJsonObject(jwks) ? jwks['keys'] : undefined;
  if (!Array.isArray(keys)) return undefined;
  try {
    return keys.flatMap((key) => readKey(key) ?? []);
  } catch (error) {
    if (error instanceof PublicJwkError) return undefined;
    throw error;
  }
}

function readKey(key: JsonValue): ClientKey | undefined {
  try {
    const { kid } = isJsonObject(key) ? key : {};
    return { jwk: parsePublicJwk(key), ...(typeof kid === 'string' && { keyId: kid }) };
  } catch (error) {
    // A set may have keys for other uses, RSA ones for example.
    if (error instanceof PublicJwkError && error.reason === 'unsupported-key') return undefined;
    throw error;
  }
}
