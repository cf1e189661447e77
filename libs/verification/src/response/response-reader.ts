import { Sealer } from '@app/keys';
import {
  type ExpectedResponse,
  isEncryptedMode,
  isFinal,
  type LinkVariant,
  parseAuthorizationResponse,
  parseDecryptedResponse,
  parseDigitalCredentialData,
  type PresentationResponse,
  RESPONSE_ENCRYPTION,
  type WalletErrorResponse,
  type WireObject,
} from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { findAddressed, openAddressed } from '../request/addressed-request';
import type { PresentationRequests } from '../request/authorization-request';
import type { AuthorizationRequest } from '../request/request-record';
import type { RequestTerms } from '../request/request-terms';
import { PresentationDefinitions } from '../question/presentation-definitions';
import { RequestSecrets } from '../request/request-secrets';
import { decryptResponse } from '../rendering/response-encryption';

/** The request a wallet answers, as it was found in the store. */
export interface FoundRequest {
  readonly id: string;
  readonly request: AuthorizationRequest & RequestTerms;
  readonly wrappedKey: Buffer;
  readonly now: Date;
}

/** Reads what was posted, decrypting it where that was asked for. */
@Injectable()
export class ResponseReader {
  constructor(
    private readonly secrets: RequestSecrets,
    private readonly definitions: PresentationDefinitions,
    private readonly sealer: Sealer,
  ) {}

  /** The request at the address of a wallet, with what was asked; `undefined` when there is none, or it was erased. */
  find(requests: PresentationRequests, address: string): Awaitable<FoundRequest | undefined> {
    // What has changed meanwhile shows when the answer is recorded.
    return whenThere(findAddressed(this.secrets, requests, address, true), (found) => {
      if (!found) return undefined;
      const { id, dataKey, now } = found;
      return whenThere(
        openAddressed(this.sealer, found),
        (request) => request && dataKey && { id, request, wrappedKey: dataKey, now },
      );
    });
  }

  read(
    found: FoundRequest,
    variant: LinkVariant,
    parameters: URLSearchParams,
  ): Awaitable<PresentationResponse | WalletErrorResponse> {
    const expected = this.expectedResponse(found.request, variant);
    return this.decrypted(found, parseAuthorizationResponse(parameters, expected), expected);
  }

  /** @param data of the `DigitalCredential` that a browser gave to its page */
  readDigitalCredential(found: FoundRequest, data: WireObject): Awaitable<PresentationResponse | WalletErrorResponse> {
    const { query, responseMode } = found.request;
    if (!query) throw new Error('a request without a query is not made over the Digital Credentials API');
    const expected: ExpectedResponse = {
      idToken: false,
      presentations: { by: 'dcql', query },
      ...(isEncryptedMode(responseMode) && { encryption: RESPONSE_ENCRYPTION.final }),
    };
    return this.decrypted(found, parseDigitalCredentialData(data, expected), expected);
  }

  private decrypted(
    { request, wrappedKey }: FoundRequest,
    read: ReturnType<typeof parseAuthorizationResponse>,
    expected: ExpectedResponse,
  ): Awaitable<PresentationResponse | WalletErrorResponse> {
    if (read.kind !== 'encrypted') return read;
    return decryptResponse(read, request, this.sealer, wrappedKey).then((text) =>
      parseDecryptedResponse(text, read, expected),
    );
  }

  private expectedResponse(request: RequestTerms, variant: LinkVariant): ExpectedResponse {
    const state = this.secrets.wireStateOf(request, variant);
    const { query, responseType, responseMode } = request;
    if (variant === 'siopv2' || !query) return { state, idToken: true };
    const idToken = responseType === 'vp_token id_token' && variant !== 'draft-20-redirect';
    const isEncrypted = isEncryptedMode(responseMode);
    if (isFinal(variant)) {
      return {
        state,
        idToken,
        presentations: { by: 'dcql', query },
        ...(isEncrypted && { encryption: RESPONSE_ENCRYPTION.final }),
      };
    }
    const { definition, descriptorToQueryId } = this.definitions.of(request, variant);
    return {
      state,
      idToken,
      presentations: {
        by: 'submission',
        query,
        definitionId: definition.id,
        descriptorToQueryId,
      },
      ...(isEncrypted && variant === 'draft-20' && { encryption: RESPONSE_ENCRYPTION['draft-20'] }),
    };
  }
}
