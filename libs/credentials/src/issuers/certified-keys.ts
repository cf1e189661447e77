import type { PublicJwk } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import type { X509Certificate } from 'node:crypto';
import { demand } from '../presentation-check';
import { coversTypes } from './trusted-types';
import {
  type ChainAnchor,
  type VerifiedChain,
  verifyCertificateChain,
  verifyDerChain,
  verifyRootAlone,
} from '../x509/x509-chain';

/** A certificate authority that vouches for issuers of credentials or of status lists. */
export type IssuerAnchor = ChainAnchor & {
  readonly name: string;
  readonly subject: string;
  /** SHA-256, hex. */
  readonly fingerprint: string;
  /** vct, or W3C types; empty = all. */
  readonly types: readonly string[];
  /** Of an authority for documents: it also signs them itself. */
  readonly signsDocuments?: boolean;
  /** URI of the list of trusted entities that names it. */
  readonly list?: string;
  /** Which entity of that list it belongs to; another may use the same authority. */
  readonly entity?: string;
};

/** Those that are trusted now. */
export interface IssuerAnchors {
  find(purpose: 'issuer' | 'status' | 'document'): readonly IssuerAnchor[];
}

/** What the key signs: it decides which anchors may vouch for it, and under which names. */
export type KeyUse =
  | {
      readonly signs: 'credential';
      /** Alternatives: an anchor has to vouch for all types of one of these lists. */
      readonly types: readonly (readonly string[])[];
      /** Whether the issuer is trusted by its name, whatever its certificates say. */
      readonly isTrustedByName: boolean;
    }
  | {
      readonly signs: 'status-list';
      readonly uri: string;
      /** Of the credential. */
      readonly types: readonly string[];
      /** What vouched for the issuer of the credential; absent when its keys are published. */
      readonly issuerAnchor?: IssuerAnchor | undefined;
      /** Whether it is a document: nobody is named, and the root of its signer vouches for the list, too. */
      readonly isOfDocument?: boolean | undefined;
    };

/** A key that certificates vouch for. */
export type CertifiedKey = { readonly jwk: PublicJwk; readonly chain: VerifiedChain<IssuerAnchor> };

/** 1.0.18013.5.1.2: signs mobile security objects. */
const DOCUMENT_SIGNER = '28818c5d050102';

/** Whether any anchor vouches for issuers of documents of this type. */
export function hasDocumentAnchorFor(type: string, anchors: IssuerAnchors): boolean {
  return anchors.find('document').some(({ types }) => coversTypes(types, [type]));
}

/**
 * The key that signs documents of a type, by the profile of ISO/IEC 18013-5 annex B: its certificate is issued by an anchor,
 * with none between, and is for this use. Or the anchor signs them itself, where the operator says so: test issuers have no
 * more than that. Throws `Refusal`.
 * @param x5chain DER, the signer first
 */
export function findDocumentSigner(
  x5chain: readonly Uint8Array[],
  type: string,
  { anchors, now }: { readonly anchors: IssuerAnchors; readonly now: Date },
): CertifiedKey & { readonly certificate: X509Certificate } {
  const roots = anchors.find('document');
  const accept = ({ types }: IssuerAnchor): void => {
    demand(coversTypes(types, [type]), 'the trust anchor of the issuer is not trusted for this type of document');
  };
  const isSent = ({ certificate }: IssuerAnchor): boolean =>
    x5chain.length === 1 && x5chain.every((der) => certificate.raw.equals(der));
  const signing = roots.filter((root) => root.signsDocuments && isSent(root));
  if (signing[0]) {
    const { certificate } = signing[0];
    const chain = verifyRootAlone(certificate, signing, now, accept);
    return { jwk: chain.key, chain, certificate };
  }
  const chain = verifyDerChain(x5chain, roots, now, accept);
  const [signer, ...above] = chain.path;
  const isWhole = x5chain.slice(1).every((der) => chain.anchor.certificate.raw.equals(der));
  demand(signer !== undefined && above.length === 1 && isWhole, 'a certificate stands between the signer and its root');
  const { isAuthority, digitalSignature, extendedUses } = signer.extensions;
  demand(!isAuthority, 'the certificate of the signer is that of an authority');
  demand(digitalSignature === true, 'the certificate of the signer is not for signatures');
  demand(extendedUses?.includes(DOCUMENT_SIGNER) === true, 'the certificate of the signer is not for documents');
  return { jwk: chain.key, chain, certificate: signer.x509 };
}

/** Whether a key of an `x5c` header can be found at all. */
export function hasAnchorsFor(header: JsonObject, use: KeyUse, anchors: IssuerAnchors): boolean {
  const { signs } = use;
  if (header['x5c'] === undefined) return false;
  if (signs === 'status-list' && use.isOfDocument) return true;
  return anchors.find('issuer').length > 0 || (signs === 'status-list' && anchors.find('status').length > 0);
}

/** The key of the `x5c` header of a credential or status list of `issuer`. Throws `Refusal`. */
export function findCertifiedKey(
  header: JsonObject,
  issuer: string,
  use: KeyUse,
  { anchors, now, hostOf }: { anchors: IssuerAnchors; now: Date; hostOf: (url: string) => string | undefined },
): CertifiedKey {
  const x5c = header['x5c'] ?? null;
  const isNamed = ({ uris, dnsNames }: VerifiedChain<IssuerAnchor>, name: string): boolean =>
    uris.includes(name) || dnsNames.some((dnsName) => dnsName === hostOf(name));
  if (use.signs === 'credential') {
    const chain = verifyCertificateChain(x5c, anchors.find('issuer'), now, ({ types }) => {
      const isCovered = use.types.some((all) => coversTypes(types, all));
      demand(isCovered, 'the trust anchor of the issuer is not trusted for this type of credential');
    });
    demand(isNamed(chain, issuer), 'the certificate belongs to another issuer');
    return { jwk: chain.key, chain };
  }
  if (use.isOfDocument) return findListSignerOfDocument(x5c, use, { anchors, now });
  const forIssuers = anchors.find('issuer');
  const isForIssuers = ({ fingerprint }: IssuerAnchor): boolean =>
    forIssuers.some((anchor) => anchor.fingerprint === fingerprint);
  const chain = verifyCertificateChain(x5c, [...anchors.find('status'), ...forIssuers], now, (anchor) => {
    const isCovered = coversTypes(anchor.types, use.types);
    demand(isCovered, 'the trust anchor of the status list is not trusted for this type of credential');
    const { issuerAnchor } = use;
    // Where no authority vouched for the issuer, the names below say whether one for issuers may speak of it.
    const isItsOwn =
      issuerAnchor === undefined ? isForIssuers(anchor) : isOfOneEntity(anchor, issuerAnchor, forIssuers);
    demand(
      anchor.entity === undefined || isItsOwn,
      'the certificate of the status list belongs to another entity than the issuer',
    );
  });
  // An authority that certifies issuers of credentials certifies many; each may speak of its own only.
  const isMeant = !isForIssuers(chain.anchor);
  demand(
    isMeant || isNamed(chain, issuer) || isNamed(chain, use.uri),
    'the certificate of the status list belongs to neither the issuer nor the host of the list',
  );
  return { jwk: chain.key, chain };
}

/** ISO/IEC 18013-5: under the root of the document signer; or by an authority for lists of the same trusted entity. */
function findListSignerOfDocument(
  x5c: JsonValue,
  { types, issuerAnchor }: Extract<KeyUse, { readonly signs: 'status-list' }>,
  { anchors, now }: { readonly anchors: IssuerAnchors; readonly now: Date },
): CertifiedKey {
  const roots = anchors.find('document').filter(({ fingerprint }) => fingerprint === issuerAnchor?.fingerprint);
  const ofEntity = anchors
    .find('status')
    .filter(({ entity }) => entity !== undefined && roots.some((root) => root.entity === entity));
  const chain = verifyCertificateChain(x5c, [...roots, ...ofEntity], now, (anchor) => {
    const isCovered = coversTypes(anchor.types, types);
    demand(isCovered, 'the trust anchor of the status list is not trusted for this type of document');
  });
  return { jwk: chain.key, chain };
}

/** Whether the entity of an anchor issues under the authority of another one; a list may name one authority for several. */
function isOfOneEntity(
  { entity }: IssuerAnchor,
  { fingerprint }: IssuerAnchor,
  forIssuers: readonly IssuerAnchor[],
): boolean {
  return forIssuers.some((anchor) => anchor.fingerprint === fingerprint && anchor.entity === entity);
}
