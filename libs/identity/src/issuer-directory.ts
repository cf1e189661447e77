import { Settings } from '@app/config';
import {
  authoritiesInOwnChain,
  DID_DOCUMENT_TYPES,
  DidResolver,
  type FetchForVerifier,
  type IssuerKey,
  IssuerKeys,
  type KeyUse,
  type PresentedDocumentSigner,
  presentedSigner,
  refusalReason,
  type TypeInheritance,
  typeInheritance,
} from '@app/credentials';
import { thumbprint } from '@app/primitives/jose';
import { type JsonObject } from '@app/primitives/json';
import { KeyRing } from '@app/keys';
import { renderDidDocument, renderJwtVcIssuerMetadata, type WalletUrls } from '@app/openid4vc';
import { OutboundClient } from '@app/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { isValidAt } from './certificates/certified-signer';
import { OwnCertificates } from './certificates/own-certificates';
import { TrustAnchors } from './trust/trust-anchors';
import { guardedFetch, mostKeyBytes } from './guarded-fetch';
import { WALLET_URLS } from './wallet-urls.token';

const mostStatusListBytes = 1024 * 1024;
/** Pictures may be inside. */
const mostTypeMetadataBytes = 512 * 1024;

/** Where the keys of issuers are found: our own locally, those of others through the guarded client. */
@Injectable()
export class IssuerDirectory {
  readonly fetchStatusList: FetchForVerifier;
  readonly dids: DidResolver;
  readonly inheritance: TypeInheritance;
  private readonly published: IssuerKeys;

  constructor(
    settings: Settings,
    outbound: OutboundClient,
    private readonly keys: KeyRing,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    private readonly anchors: TrustAnchors,
    private readonly certificates: OwnCertificates,
  ) {
    const fetchKeys = guardedFetch(outbound, 'issuer-keys', mostKeyBytes);
    const fetchDocument: FetchForVerifier = (url, accept) => this.own(url) ?? fetchKeys(url, accept);
    // Of a tenant they are others.
    const plainHttpHosts = (): readonly string[] => {
      const { protocol, host } = new URL(settings.applicationUrl);
      // Behind https our own did:web is an https document too, or it would not be recognised as our own.
      return [...settings.outbound.allowPrivateHosts, ...(protocol === 'http:' ? [host] : [])];
    };
    this.fetchStatusList = guardedFetch(outbound, 'status-lists', mostStatusListBytes);
    const fetchTypeMetadata = guardedFetch(outbound, 'type-metadata', mostTypeMetadataBytes);
    this.inheritance = typeInheritance(fetchTypeMetadata, (address) => urls.isOwnType(address));
    this.dids = new DidResolver({
      fetchDocument: async (url) => ({ status: 200, ...(await fetchDocument(url, DID_DOCUMENT_TYPES)) }),
      plainHttpHosts,
    });
    this.published = new IssuerKeys({
      fetchDocument,
      dids: this.dids,
      plainHttpHosts,
      anchors,
      isRevoked: (jwk) => {
        const kid = thumbprint(jwk);
        return keys.isRevoked(kid) || certificates.isRevoked(kid);
      },
    });
  }

  /** The key of an issuer that a header names. Throws `Refusal` or `DidError`. */
  async find(header: JsonObject, issuer: string, now: Date, use?: KeyUse): Promise<IssuerKey> {
    const isOwn = issuer === this.urls.issuer || issuer === this.urls.did;
    if (isOwn) await this.learn(header['kid']);
    const key = await this.published.find(header, issuer, now, use);
    // What an authority says of others counts when it is an anchor; our own keys are known, whoever has certified them.
    return isOwn && key.anchor === undefined ? { ...key, authorityKeyIds: ownAuthorities(header, key, now) } : key;
  }

  /** Whether a certificate chain is to vouch for the key of the header. */
  isCertified(header: JsonObject, use: KeyUse): boolean {
    return this.published.isCertified(header, use);
  }

  /** Whether documents of this type can be trusted: there is an authority for them, or a document signer of our own. */
  mayTrustDocuments(type: string): boolean {
    return this.published.mayTrustDocuments(type) || this.certificates.documentSigners().length > 0;
  }

  /**
   * The key that signs documents of a type: one of our own needs no authority. Throws `Refusal`.
   * @param x5chain DER, the signer first
   */
  findDocumentSigner(x5chain: readonly Uint8Array[], type: string, now: Date): PresentedDocumentSigner {
    try {
      return this.published.findDocumentSigner(x5chain, type, now);
    } catch (refusal) {
      const [leaf] = x5chain;
      const own = this.certificates.documentSigners().find(({ chain: [der] }) => leaf && der?.equals(leaf));
      if (!leaf || !own || !isValidAt(now)(own) || refusalReason(refusal) === undefined) throw refusal;
      return presentedSigner(new X509Certificate(leaf), { authorityKeyIds: own.authorityKeyIds });
    }
  }

  /** Calls the listener after each change of the trust anchors. */
  onTrustChange(listener: () => void): void {
    this.anchors.onChange(listener);
  }

  /** Another replica may sign with a new key before this one has read it. @param kid thumbprint, or DID URL ending with it */
  private async learn(kid: unknown): Promise<void> {
    if (typeof kid === 'string') await this.keys.publicKey(kid.slice(kid.indexOf('#') + 1));
  }

  /** Our own key documents, without a way round through the network, which may not even lead here. */
  private own(url: string): ReturnType<FetchForVerifier> | undefined {
    const document =
      url === this.urls.jwtVcIssuer
        ? renderJwtVcIssuerMetadata(this.urls, this.keys.publicKeys())
        : url === this.urls.didDocument
          ? renderDidDocument(this.urls.did, this.keys.publicKeys())
          : undefined;
    if (!document) return undefined;
    const body = Buffer.from(JSON.stringify(document));
    return Promise.resolve({ body, contentType: 'application/json', cacheable: false });
  }
}

/** Of a credential that this service has signed; none where it has no certificates, or they have expired. */
function ownAuthorities({ x5c }: JsonObject, { jwk }: IssuerKey, now: Date): readonly string[] {
  if (x5c === undefined) return [];
  try {
    return authoritiesInOwnChain(x5c, jwk, now);
  } catch (error) {
    if (refusalReason(error) === undefined) throw error;
    return [];
  }
}
