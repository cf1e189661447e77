import type { IssuerIdentifier } from '@app/config';
import { didJwk } from '@app/credentials';
import { type PublicJwk, type SignJws, thumbprint } from '@app/primitives/jose';
import { Problem } from '@app/primitives/problems';
import { type KeyPair, KeyRing, type SigningAlgorithm, type SigningUse, signJwt } from '@app/keys';
import { didKeyId, type WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { type CertifiedSigner, isValidAt } from './certificates/certified-signer';
import { covers } from './certificates/own-names';
import type { DocumentSigner } from './certificates/document-signer';
import { OwnCertificates } from './certificates/own-certificates';
import { WALLET_URLS } from './wallet-urls.token';

/** A name of this service, and how to sign in that name. */
export interface SigningIdentity {
  /** DID or https URL: the `iss` of what is signed. */
  readonly id: string;
  /** RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  /** Adds `alg` and the `kid` under which the name's public documents list the key. */
  readonly sign: SignJws;
  /** When the certificate ends that signatures carry; absent when they carry none, or one of the development root. */
  readonly certifiedUntil?: Date;
}

/** In whose name this service signs, and which names are its own (docs/architecture/formats-and-generations.md). */
@Injectable()
export class ServiceIdentity {
  constructor(
    private readonly keys: KeyRing,
    private readonly certificates: OwnCertificates,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** The name that a credential configuration has chosen. */
  as(identifier: IssuerIdentifier, algorithm: SigningAlgorithm, use: SigningUse): SigningIdentity {
    switch (identifier) {
      case 'did':
        return this.asDid(algorithm, use);
      case 'https':
        return this.asUrl(algorithm, use);
    }
  }

  /** The `iss` of credentials under that name. */
  nameOf(identifier: IssuerIdentifier, algorithm: SigningAlgorithm): string {
    if (identifier === 'https') return this.urls.issuer;
    const key = this.isHttps() ? undefined : this.keys.findActive(algorithm);
    // Without a key nothing is issued in that name.
    return key ? didJwk(key.publicJwk) : this.urls.did;
  }

  /** The DID: did:web of the public URL, or in development on http the did:jwk of the signing key. */
  asDid(algorithm: SigningAlgorithm, use: SigningUse): SigningIdentity {
    const key = this.keys.activeKey(algorithm, use);
    const id = this.isHttps() ? this.urls.did : didJwk(key.publicJwk);
    const kid = this.isHttps() ? didKeyId(id, key.kid) : `${id}#0`;
    return { id, keyId: key.kid, sign: (header, payload) => signJwt(key, { ...header, kid }, payload) };
  }

  /** The https issuer identifier; its keys are found by `/.well-known/jwt-vc-issuer`, and by certificate where they have one. */
  private asUrl(algorithm: SigningAlgorithm, use: SigningUse): SigningIdentity {
    const key = this.keys.activeKey(algorithm, use);
    const name = { id: this.urls.issuer, keyId: key.kid };
    const certified = this.certificateOf(key);
    if (!certified) return { ...name, sign: (header, payload) => signJwt(key, header, payload) };
    const { x5c, notAfter, isDevelopment } = certified;
    return {
      ...name,
      sign: (header, payload) => signJwt(key, { ...header, x5c }, payload),
      ...(!isDevelopment && { certifiedUntil: notAfter }),
    };
  }

  /** The signer of what is believed by its certificate alone; undefined when none vouches for the https name now. */
  certified(algorithm: SigningAlgorithm, use: SigningUse): CertifiedSigner | undefined {
    const key = this.keys.findActive(algorithm, use);
    return key && this.certificateOf(key);
  }

  /**
   * Who signs the metadata of the issuer: under a certificate of their own once there is one, else that for credentials;
   * undefined when it is not valid now.
   */
  metadataSigner(): CertifiedSigner | undefined {
    return this.certificates.hasMetadata()
      ? this.certificates.current('metadata', new Date())
      : this.certified('ES256', 'metadata');
  }

  /** Who signs ISO 18013-5 documents now; to be asked for again for each signature. Throws `document-certificate-missing`. */
  documentSigner(algorithm: SigningAlgorithm): DocumentSigner {
    const signer = this.findDocumentSigner(algorithm);
    if (signer) return signer;
    throw new Problem(
      'document-certificate-missing',
      `This service has no certificate of a document signer for ${algorithm}.`,
    );
  }

  findDocumentSigner(algorithm: SigningAlgorithm): DocumentSigner | undefined {
    return this.certificates.documentSigner(algorithm, new Date());
  }

  /** Whether a key signs the documents of this service, or did. */
  isDocumentKey(jwk: PublicJwk): boolean {
    const kid = thumbprint(jwk);
    return this.certificates.documentSigners().some(({ keyId }) => keyId === kid);
  }

  /** One that has expired is left out: whoever looks for the key by its kid still finds it. */
  private certificateOf(key: KeyPair): CertifiedSigner | undefined {
    const certified = this.certificates.ofKey(key);
    const { issuer } = this.urls;
    const names = { host: new URL(issuer).hostname, issuer };
    return certified && isValidAt(new Date())(certified) && covers('credentials', certified, names)
      ? certified
      : undefined;
  }

  /** Whether an issuer of a credential is this service, also under a key that has been retired since. */
  isOwn(issuer: string): boolean {
    if (issuer === this.urls.issuer) return true;
    if (this.isHttps()) return issuer === this.urls.did;
    return this.keys.publicKeys().some(({ publicJwk }) => didJwk(publicJwk) === issuer);
  }

  /** Whether an address is that of a status list of this service. */
  isOwnStatusList(uri: string): boolean {
    return uri.startsWith(`${this.urls.statusLists}/`);
  }

  /** A did:web document is fetched over https only. */
  private isHttps(): boolean {
    return this.urls.issuer.startsWith('https:');
  }
}
