import { urlOf } from '@app/primitives/url';
import type { PublicJwk } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import type { X509Certificate } from 'node:crypto';
import {
  type CertifiedKey,
  findCertifiedKey,
  findDocumentSigner,
  hasAnchorsFor,
  hasDocumentAnchorFor,
  type IssuerAnchor,
  type IssuerAnchors,
  type KeyUse,
} from './certified-keys';
import { DidError } from './did';
import type { DidDocument } from './did-document';
import { type FetchForVerifier, JwtVcIssuerKeys } from './jwt-vc-issuer';
import { demand, Refusal, refusalReason } from '../presentation-check';
import { type CertifiedPlace, placeOf, subjectOf } from '../x509/x509-certificate';
import { keyOfCertificate } from '../x509/x509-chain';

export type IssuerKeysOptions = {
  readonly fetchDocument: FetchForVerifier;
  readonly dids: { resolve(did: string): Promise<DidDocument> };
  /** Certificate authorities that may vouch for issuers. Without any, `x5c` headers are ignored. */
  readonly anchors?: IssuerAnchors;
  /** Hosts (`host[:port]`) of issuers whose identifier may be an http URL: development and tests only. */
  readonly plainHttpHosts?: () => readonly string[];
  /** Keys that prove nothing any more, under whatever name and whatever documents still list them. */
  readonly isRevoked?: (jwk: PublicJwk) => boolean;
};

/**
 * `authorityKeyIds` of the certificates that vouch for the key (base64url), and the anchor at their end; neither when the
 * issuer itself publishes it.
 */
export type IssuerKey = {
  readonly jwk: PublicJwk;
  readonly authorityKeyIds: readonly string[];
  readonly anchor?: IssuerAnchor;
};

/** Who signed a document, by the certificate of the key. */
export type PresentedDocumentSigner = IssuerKey &
  CertifiedPlace & {
    /** The subject of its root on one line. */
    readonly issuer: string;
    readonly validFrom: Date;
    readonly validTo: Date;
  };

/** @param vouched by whom; without an anchor the certificate is one of this service. Throws `Refusal`. */
export function presentedSigner(
  certificate: X509Certificate,
  vouched: Omit<IssuerKey, 'jwk'>,
): PresentedDocumentSigner {
  const { subject, issuer, validFrom, validTo } = certificate;
  return {
    ...vouched,
    jwk: keyOfCertificate(certificate),
    issuer: subjectOf({ subject: issuer }),
    ...placeOf(subject),
    validFrom: new Date(validFrom),
    validTo: new Date(validTo),
  };
}

/** Finds the key with which an issuer signed something; `jwk`, `jku` and `x5u` headers are ignored. */
export class IssuerKeys {
  private readonly published: JwtVcIssuerKeys;

  constructor(private readonly options: IssuerKeysOptions) {
    this.published = new JwtVcIssuerKeys(options.fetchDocument);
  }

  /**
   * The key that a header names, provided that it is a key of `issuer`: by certificate chain (`x5c`), by the metadata
   * of an https issuer, or by a DID document (`assertionMethod`). Throws `Refusal` or `DidError`.
   * @param use absent: what the issuer publishes counts alone
   */
  async find(header: JsonObject, issuer: string, now: Date, use?: KeyUse): Promise<IssuerKey> {
    const key = await this.findNamed(header, issuer, now, use);
    demand(this.options.isRevoked?.(key.jwk) !== true, 'the key has been revoked');
    return key;
  }

  /** Whether a certificate chain is to vouch for the key of the header. */
  isCertified(header: JsonObject, use: KeyUse): boolean {
    const { anchors } = this.options;
    return anchors !== undefined && hasAnchorsFor(header, use, anchors);
  }

  /** Whether any authority is trusted for documents of this type. */
  mayTrustDocuments(type: string): boolean {
    const { anchors } = this.options;
    return anchors !== undefined && hasDocumentAnchorFor(type, anchors);
  }

  /** The key that signs documents of a type, by its certificates alone. Throws `Refusal`. @param x5chain DER, the signer first */
  findDocumentSigner(x5chain: readonly Uint8Array[], type: string, now: Date): PresentedDocumentSigner {
    const { anchors, isRevoked } = this.options;
    if (anchors === undefined) throw new Refusal('no trust anchors are configured');
    const { jwk, chain, certificate } = findDocumentSigner(x5chain, type, { anchors, now });
    demand(isRevoked?.(jwk) !== true, 'the key has been revoked');
    const { authorityKeyIds, anchor } = chain;
    return presentedSigner(certificate, { authorityKeyIds, anchor });
  }

  private async findNamed(header: JsonObject, issuer: string, now: Date, use: KeyUse | undefined): Promise<IssuerKey> {
    const { anchors } = this.options;
    if (use === undefined || anchors === undefined || !this.isCertified(header, use)) {
      return this.findPublished(header, issuer, now);
    }
    try {
      const { jwk, chain } = this.findCertified(header, issuer, now, use, anchors);
      return { jwk, authorityKeyIds: chain.authorityKeyIds, anchor: chain.anchor };
    } catch (refusal) {
      const mayBePublished = use.signs === 'status-list' || use.isTrustedByName;
      if (!mayBePublished || refusalReason(refusal) === undefined) throw refusal;
      return await this.findPublished(header, issuer, now).catch((error: unknown) => {
        // What is wrong with the certificates says more than what else is missing.
        throw refusalReason(error) === undefined ? error : refusal;
      });
    }
  }

  private findCertified(
    header: JsonObject,
    issuer: string,
    now: Date,
    use: KeyUse,
    anchors: IssuerAnchors,
  ): CertifiedKey {
    return findCertifiedKey(header, issuer, use, { anchors, now, hostOf: (url) => this.hostOf(url) });
  }

  private async findPublished(header: JsonObject, issuer: string, now: Date): Promise<IssuerKey> {
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
    const url = urlOf(issuer);
    if (url === undefined || url.username !== '' || url.password !== '') return undefined;
    const isPlain = url.protocol === 'http:' && this.options.plainHttpHosts?.().includes(url.host) === true;
    return url.protocol === 'https:' || isPlain ? url.hostname : undefined;
  }
}
