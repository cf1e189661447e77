import type { PublicJwk } from '@app/jose';
import type { JsonObject } from '@app/json';
import type { X509Certificate } from 'node:crypto';
import { DidError } from './did';
import type { DidDocument } from './did-document';
import { type FetchForVerifier, JwtVcIssuerKeys } from './jwt-vc-issuer';
import { demand, Refusal } from './presentation-check';
import { verifyCertificateChain } from './x509-chain';

export type IssuerKeysOptions = {
  readonly fetchDocument: FetchForVerifier;
  readonly dids: { resolve(did: string): Promise<DidDocument> };
  /** Certificates that may vouch for issuers. Without any, `x5c` headers are ignored. */
  readonly anchors?: readonly X509Certificate[];
  /** Hosts (`host[:port]`) of issuers whose identifier may be an http URL: development and tests only. */
  readonly plainHttpHosts?: readonly string[];
  /** Keys that prove nothing any more, under whatever name and whatever documents still list them. */
  readonly isRevoked?: (jwk: PublicJwk) => boolean;
};

/** `authorityKeyIds` of the certificates that vouch for the key (base64url), when there are any. */
export type IssuerKey = { readonly jwk: PublicJwk; readonly authorityKeyIds: readonly string[] };

/** Finds the key with which an issuer signed something; `jwk`, `jku` and `x5u` headers are ignored. */
export class IssuerKeys {
  private readonly published: JwtVcIssuerKeys;

  constructor(private readonly options: IssuerKeysOptions) {
    this.published = new JwtVcIssuerKeys(options.fetchDocument);
  }

  /**
   * The key that a header names, provided that it is a key of `issuer`: by certificate chain (`x5c`), by the metadata
   * of an https issuer, or by a DID document (`assertionMethod`). Throws `Refusal` or `DidError`.
   */
  async find(header: JsonObject, issuer: string, now: Date): Promise<IssuerKey> {
    const key = await this.findNamed(header, issuer, now);
    demand(this.options.isRevoked?.(key.jwk) !== true, 'the key has been revoked');
    return key;
  }

  private async findNamed(header: JsonObject, issuer: string, now: Date): Promise<IssuerKey> {
    const x5c = header['x5c'];
    const anchors = this.options.anchors ?? [];
    if (x5c !== undefined && anchors.length > 0) {
      const {
        key: jwk,
        dnsNames,
        uris,
        authorityKeyIds,
      } = verifyCertificateChain(
        x5c,
        anchors.map((certificate) => ({ certificate })),
        now,
      );
      demand(
        uris.includes(issuer) || dnsNames.some((name) => name === this.hostOf(issuer)),
        'the certificate belongs to another issuer',
      );
      return { jwk, authorityKeyIds };
    }
    const kid = header['kid'];
    demand(kid === undefined || typeof kid === 'string', 'the kid header is not a string');
    const isDid = issuer.startsWith('did:');
    demand(isDid || this.hostOf(issuer) !== undefined, 'the issuer is neither an https URL nor a DID');
    const jwk = isDid ? await this.findInDidDocument(issuer, kid) : await this.published.find(issuer, kid, now);
    return { jwk, authorityKeyIds: [] };
  }

  private async findInDidDocument(did: string, kid: string | undefined): Promise<PublicJwk> {
    const keyId = kid?.startsWith('#') ? did + kid : kid;
    demand(keyId === undefined || keyId.startsWith(`${did}#`), 'the kid header names a key of another DID');
    let document: DidDocument;
    try {
      document = await this.options.dids.resolve(did);
    } catch (cause) {
      if (cause instanceof DidError) throw new Refusal(`the DID of the issuer: ${cause.message}`, { cause });
      throw cause;
    }
    const methods = document.verificationMethods.filter(
      ({ id, relationships }) => relationships.has('assertionMethod') && (keyId === undefined || id === keyId),
    );
    const [method] = methods;
    demand(
      method !== undefined && methods.length === 1,
      'the DID document lists no such key, or several and none is named',
    );
    return method.jwk;
  }

  /** The host of an issuer that is named by URL. */
  private hostOf(issuer: string): string | undefined {
    const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
    if (url === undefined || url.username !== '' || url.password !== '') return undefined;
    const isPlain = url.protocol === 'http:' && this.options.plainHttpHosts?.includes(url.host) === true;
    return url.protocol === 'https:' || isPlain ? url.hostname : undefined;
  }
}
