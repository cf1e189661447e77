import { Settings } from '@app/config';
import { bodyTooLarge, type RawBody, strictJson, walletJson, walletJwt, HttpReply } from '@app/http';
import { encryptJwe, isOnCurve, JweTooLargeError } from '@app/primitives/jose';
import { EncryptionKeys, type PublishedEncryptionKey } from '@app/keys';
import {
  checkEncryptedRequest,
  CREDENTIAL_ENCRYPTION,
  type ResponseEncryption,
  undecryptableRequest,
  unusableKey,
} from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';

/** The body of a request, and how it came. */
export interface ReadBody {
  readonly json: unknown;
  readonly isRequestEncrypted: boolean;
}

const unreadable = 'invalid_credential_request';

/** The encryption of requests and responses of the credential endpoints (OpenID4VCI 1.0 §10). */
@Injectable()
export class CredentialEncryption {
  constructor(
    private readonly keys: EncryptionKeys,
    private readonly settings: Settings,
  ) {}

  /** Whether no credential is sent in clear. */
  get isRequired(): boolean {
    return this.settings.issuance.encryption === 'required';
  }

  /** The key to which wallets encrypt. */
  currentKey(): PublishedEncryptionKey {
    return this.keys.current();
  }

  /** The JSON of a request, decrypted when its content type says so. Throws `OAuthError`. */
  read(body: RawBody): Awaitable<ReadBody> {
    if (body.mediaType === 'application/jwt') return this.readEncrypted(body);
    return { json: walletJson(body, unreadable), isRequestEncrypted: false };
  }

  private async readEncrypted(body: RawBody): Promise<ReadBody> {
    const text = await this.decrypted(walletJwt(body, unreadable), body);
    if (/^[\w-]+(\.[\w-]*){4}$/.test(text)) throw undecryptableRequest('jwe-malformed');
    return { json: strictJson(Buffer.from(text), unreadable), isRequestEncrypted: true };
  }

  /** Throws `OAuthError` for a key to which nothing can be encrypted. */
  assertUsable(encryption: ResponseEncryption | undefined): void {
    if (encryption && !isOnCurve(encryption.jwk)) throw unusableKey();
  }

  /** The response as the wallet wants it. */
  reply(response: HttpReply, encryption: ResponseEncryption | undefined): Awaitable<HttpReply> {
    return encryption ? this.encrypted(response, encryption) : response;
  }

  private async encrypted(response: HttpReply, { jwk, kid, enc, zip }: ResponseEncryption): Promise<HttpReply> {
    const header = {
      alg: CREDENTIAL_ENCRYPTION.algorithm,
      enc,
      ...(kid !== undefined && { kid }),
      ...(zip && { zip }),
    };
    const jwe = await encryptJwe(JSON.stringify(response.body), jwk, header);
    return new HttpReply(response.status, jwe, { ...response.headers, 'Content-Type': 'application/jwt' });
  }

  /** A compressed request is inflated to no more than may come without compression. */
  private async decrypted(jwe: string, { limit }: RawBody): Promise<string> {
    const key = await this.keys.find(checkEncryptedRequest(jwe));
    if (!key) throw undecryptableRequest('jwe-other-key');
    const { contentEncryption } = CREDENTIAL_ENCRYPTION;
    try {
      const text = await key.decrypt(jwe, { contentEncryption, mostInflatedBytes: limit });
      if (text !== undefined) return text;
    } catch (error) {
      if (error instanceof JweTooLargeError) throw bodyTooLarge(unreadable, limit);
      throw error;
    }
    throw undecryptableRequest('jwe-not-decrypted');
  }
}
