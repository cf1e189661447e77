import { urlOf } from '@app/primitives/url';
import {
  canonicalJwk,
  decodeBase64Url,
  encodeBase64Url,
  parsePublicJwk,
  type PublicJwk,
  PublicJwkError,
} from '@app/primitives/jose';
import { type JsonObject, parseStrictJsonObject, StrictJsonError } from '@app/primitives/json';
import ipaddr from 'ipaddr.js';
import { type DidDocument, readDidDocument, type VerificationRelationship } from './did-document';
import { FetchPostponed } from './fetch-postponed';
import { decodeMultikey } from './multikey';

/** Fetches a did:web document. Rejects with `FetchPostponed` when it cannot be asked for now. */
export type FetchDocument = (url: string) => Promise<{ readonly body: Uint8Array }>;

/** The media types a did:web document may have. */
export const DID_DOCUMENT_TYPES: readonly string[] = [
  'application/did+json',
  'application/did+ld+json',
  'application/did',
  'application/json',
];

export type DidResolverOptions = {
  readonly fetchDocument: FetchDocument;
  /** Hosts (`host[:port]`) whose did:web documents are fetched over http: development and tests only. */
  readonly plainHttpHosts?: () => readonly string[];
};

export type DidErrorReason =
  'malformed' | 'unsupported-method' | 'unsupported-key' | 'not-found' | 'invalid-document' | 'key-not-listed';

/** A DID or DID URL that leads to no key; the message holds nothing of the DID, `cause` holds a failed fetch. */
export class DidError extends Error {
  override readonly name = 'DidError';

  constructor(
    readonly reason: DidErrorReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const MAX_LENGTH = 2_048;
const BOTH: ReadonlySet<VerificationRelationship> = new Set(['authentication', 'assertionMethod'] as const);
const NONE: ReadonlySet<VerificationRelationship> = new Set();

/** The did:jwk of a public key. Its one key is `<did>#0`. */
export function didJwk(jwk: PublicJwk): string {
  return `did:jwk:${encodeBase64Url(canonicalJwk(jwk))}`;
}

/** The key that a DID consists of (did:jwk, did:key), when it can sign and the service can use it. */
export function keyInDid(did: string): PublicJwk | undefined {
  const [, method, id = ''] = /^did:(jwk|key):([A-Za-z0-9_-]+)$/.exec(did) ?? [];
  if (method === undefined || did.length > MAX_LENGTH) return undefined;
  try {
    const { verificationMethods } = method === 'jwk' ? resolveDidJwk(did, id) : resolveDidKey(did, id);
    return verificationMethods.find(({ relationships }) => relationships.has('authentication'))?.jwk;
  } catch (error) {
    if (error instanceof DidError) return undefined;
    throw error;
  }
}

/** Resolves did:jwk, did:key and did:web to public keys. */
export class DidResolver {
  constructor(private readonly options: DidResolverOptions) {}

  /** All verification methods of a DID whose keys the service can use. Throws `DidError`. */
  async resolve(did: string): Promise<DidDocument> {
    if (did.length > MAX_LENGTH) throw new DidError('malformed', 'the DID is too long');
    const [, method, id] = /^did:([a-z0-9]+):([A-Za-z0-9._:%-]+)$/.exec(did) ?? [];
    if (method === undefined || id === undefined) throw new DidError('malformed', 'the text is not a DID');
    switch (method) {
      case 'jwk':
        return resolveDidJwk(did, id);
      case 'key':
        return resolveDidKey(did, id);
      case 'web':
        return this.resolveDidWeb(did, id);
      default:
        throw new DidError('unsupported-method', 'the DID method is not one of did:jwk, did:key, did:web');
    }
  }

  /**
   * The key that a DID URL (`<did>#<fragment>`) names, provided that the DID document lists it for the relationship.
   * Throws `DidError`.
   */
  async resolveKey(didUrl: string, relationship: VerificationRelationship): Promise<PublicJwk> {
    const fragmentStart = didUrl.indexOf('#');
    if (fragmentStart < 0) throw new DidError('malformed', 'the DID URL has no fragment that names a key');
    const document = await this.resolve(didUrl.slice(0, fragmentStart));
    const method = document.verificationMethods.find(({ id }) => id === didUrl);
    if (method === undefined) throw new DidError('key-not-listed', 'the DID document has no usable key of that name');
    if (!method.relationships.has(relationship)) {
      throw new DidError('key-not-listed', `the DID document does not list the key under ${relationship}`);
    }
    return method.jwk;
  }

  private async resolveDidWeb(did: string, id: string): Promise<DidDocument> {
    const url = this.didWebUrl(id);
    let body: Uint8Array;
    try {
      ({ body } = await this.options.fetchDocument(url));
    } catch (cause) {
      if (cause instanceof FetchPostponed) throw cause;
      throw new DidError('not-found', 'the DID document could not be fetched', { cause });
    }
    let json: JsonObject;
    try {
      json = parseStrictJsonObject(body);
    } catch (error) {
      if (error instanceof StrictJsonError) throw new DidError('invalid-document', 'the DID document is not JSON');
      throw error;
    }
    const document = readDidDocument(did, json);
    if (document === undefined) {
      throw new DidError('invalid-document', 'the DID document has another id or its methods are not readable');
    }
    return document;
  }

  /** did:web §2.5.2: colons become slashes, `%3A` before a port a colon, no path means `/.well-known`. */
  private didWebUrl(id: string): string {
    const [authority = '', ...segments] = id.split(':');
    const host = authority.replace(/%3a(?=\d+$)/i, ':');
    const path = segments.length === 0 ? '/.well-known/did.json' : `/${segments.join('/')}/did.json`;
    const plainHttp = this.options.plainHttpHosts?.().includes(host) ?? false;
    const text = `${plainHttp ? 'http' : 'https'}://${host}${path}`;
    const url = urlOf(text);
    // A host or path that the URL parser rewrites (`..`, `%2e%2e`, empty segments, 0x7f.1) is not what the DID says.
    const unchanged = url?.host === host.toLowerCase() && url.pathname === path && !segments.includes('');
    if (url === undefined || !unchanged || (ipaddr.isValid(url.hostname) && !plainHttp)) {
      throw new DidError('malformed', 'the did:web DID does not name a host and a path');
    }
    return url.href;
  }
}

/** did:jwk: the DID is the key, `#0` its one verification method. A key with `use: enc` signs nothing. */
function resolveDidJwk(did: string, id: string): DidDocument {
  const bytes = decodeBase64Url(id);
  if (bytes === undefined) throw new DidError('malformed', 'the did:jwk DID is not canonical base64url');
  try {
    const json = parseStrictJsonObject(bytes);
    const relationships = json['use'] === 'enc' ? NONE : BOTH;
    return { id: did, verificationMethods: [{ id: `${did}#0`, jwk: parsePublicJwk(json), relationships }] };
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new DidError('malformed', 'the did:jwk DID does not hold a JSON object');
    if (error instanceof PublicJwkError) throw new DidError('unsupported-key', error.message);
    throw error;
  }
}

/** did:key: the method's fragment repeats the identifier. */
function resolveDidKey(did: string, id: string): DidDocument {
  const jwk = decodeMultikey(id);
  if (jwk === undefined) {
    throw new DidError('unsupported-key', 'the did:key DID does not hold a P-256, P-384, Ed25519 or jwk_jcs-pub key');
  }
  return { id: did, verificationMethods: [{ id: `${did}#${id}`, jwk, relationships: BOTH }] };
}
