import { perTenant } from '@app/primitives/context';
import { prefers, HttpReply, PublicEndpoint, renderedJson } from '@app/http';
import { ServiceIdentity, WALLET_URLS } from '@app/identity';
import type { JsonObject } from '@app/primitives/json';
import { SIGNED_METADATA_LIFETIME, SIGNED_METADATA_TYPE, signedMetadataClaims, type WalletUrls } from '@app/openid4vc';
import { Controller, Get, Headers, Inject } from '@nestjs/common';
import { IssuerDocuments } from './issuer-documents';

const publicDocument = { 'Cache-Control': 'no-cache' };
const signedType = 'application/jwt';
/** Milliseconds for which a signature is used again: a wallet that gets it late still has half of its time. */
const signedFor = (SIGNED_METADATA_LIFETIME / 2) * 1000;

interface Signed {
  readonly of: string;
  readonly by: string;
  readonly at: number;
  readonly jwt: Promise<string>;
}

/**
 * Metadata of the issuer. The address it reads identifies a wallet's generation: the inserted
 * well-known address serves the pure 1.0 document, the appended one that of drafts 13 to 15.
 */
@Controller()
@PublicEndpoint('wallets')
export class IssuerMetadataEndpoint {
  private readonly kept = perTenant<{ signed?: Signed | undefined }>({}, () => ({}));

  constructor(
    private readonly documents: IssuerDocuments,
    private readonly identity: ServiceIdentity,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** Signed for who prefers that (OpenID4VCI 1.0 §12.2.3), as long as a certificate vouches for this service. */
  @Get('.well-known/openid-credential-issuer/openid4vci')
  async final(@Headers('accept') accept: string | undefined): Promise<HttpReply> {
    const final = await this.documents.get('final');
    const headers = { ...publicDocument, Vary: 'Accept' };
    const jwt = prefers(accept, signedType, 'application/json') ? await this.sign(final) : undefined;
    if (jwt === undefined) return renderedJson(final, headers);
    return new HttpReply(200, jwt, { ...headers, 'Content-Type': signedType });
  }

  @Get('openid4vci/.well-known/openid-credential-issuer')
  async draft13(): Promise<HttpReply> {
    return renderedJson(await this.documents.get('draft13'), publicDocument);
  }

  private sign(document: string): Promise<string> | undefined {
    const signer = this.identity.metadataSigner();
    if (!signer) return undefined;
    const now = Date.now();
    const { kept: latest } = this;
    const { signed } = latest;
    if (signed?.of === document && signed.by === signer.fingerprint && now - signed.at < signedFor) return signed.jwt;
    const claims = signedMetadataClaims(JSON.parse(document) as object, this.urls.issuer, Math.floor(now / 1000));
    const jwt = signer.sign({ typ: SIGNED_METADATA_TYPE }, claims as JsonObject);
    // Whoever asks meanwhile gets the same one; a failure is nobody's but theirs.
    const kept = { of: document, by: signer.fingerprint, at: now, jwt };
    latest.signed = kept;
    jwt.catch(() => {
      if (latest.signed === kept) latest.signed = undefined;
    });
    return jwt;
  }
}
