import { parsePublicJwk, type PublicJwk, PublicJwkError } from '@app/primitives/jose';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/primitives/json';
import { decodeMultikey } from './multikey';

export type VerificationRelationship = 'authentication' | 'assertionMethod';

/** Finds the key a DID URL names. */
export type ResolveDidKey = (didUrl: string, relationship: VerificationRelationship) => Promise<PublicJwk>;

export type VerificationMethod = {
  /** Absolute DID URL. */
  readonly id: string;
  readonly jwk: PublicJwk;
  readonly relationships: ReadonlySet<VerificationRelationship>;
};

export type DidDocument = { readonly id: string; readonly verificationMethods: readonly VerificationMethod[] };

const RELATIONSHIPS: readonly VerificationRelationship[] = ['authentication', 'assertionMethod'];

/**
 * Reads the verification methods of a DID document (DID Core 1.0 §5.2, §5.3), listed or embedded, with absolute or
 * relative ids. Methods with keys of other kinds are left out. Answers `undefined` when the document is not one of
 * `did` or gives one id to two methods.
 */
export function readDidDocument(did: string, document: JsonObject): DidDocument | undefined {
  if (document['id'] !== did) return undefined;
  const keys = new Map<string, PublicJwk | undefined>();
  const listed = new Map<string, Set<VerificationRelationship>>();

  const add = (method: JsonValue): string | undefined => {
    if (!isJsonObject(method) || typeof method['id'] !== 'string') return undefined;
    const id = absolute(did, method['id']);
    if (keys.has(id)) return undefined;
    keys.set(id, readKey(method));
    return id;
  };

  for (const method of asArray(document['verificationMethod'])) {
    if (add(method) === undefined) return undefined;
  }
  for (const relationship of RELATIONSHIPS) {
    for (const entry of asArray(document[relationship])) {
      const id = typeof entry === 'string' ? absolute(did, entry) : add(entry);
      if (id === undefined) return undefined;
      listed.set(id, (listed.get(id) ?? new Set()).add(relationship));
    }
  }
  const verificationMethods: VerificationMethod[] = [];
  for (const [id, jwk] of keys) {
    if (jwk !== undefined) verificationMethods.push({ id, jwk, relationships: listed.get(id) ?? new Set() });
  }
  return { id: did, verificationMethods };
}

function readKey(method: JsonObject): PublicJwk | undefined {
  const { publicKeyJwk, publicKeyMultibase } = method;
  // Two encodings in one method could be two keys.
  if (publicKeyJwk !== undefined && publicKeyMultibase !== undefined) return undefined;
  if (typeof publicKeyMultibase === 'string') return decodeMultikey(publicKeyMultibase);
  try {
    return parsePublicJwk(publicKeyJwk);
  } catch (error) {
    if (error instanceof PublicJwkError) return undefined;
    throw error;
  }
}

function absolute(did: string, id: string): string {
  return id.startsWith('#') ? did + id : id;
}

function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
