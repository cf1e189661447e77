import { hash } from 'node:crypto';
import type { JsonObject } from '@app/primitives/json';
import type { SigningAlgorithm } from '../signing-key';
import { decoded, KeyService, objectOf, type ServiceOptions } from './key-service';
import type { KeyProvider, ProviderCalls, ProviderKey } from './provider';
import type { Secret } from './secret-file';

export interface HttpOptions extends ServiceOptions {
  /** Sent as a bearer token; without one the certificate of `tls.client` has to tell who we are. */
  readonly token?: Secret;
}

/**
 * A signer of the operator's own, in front of whatever holds the keys. A reference is the id of a key, which never gets another key pair.
 *
 * - `GET {url}/keys`: `{ keys: [{ id, algorithm: "ES256" | "EdDSA", publicJwk }] }`
 * - `POST {url}/keys/{id}/sign` with `{ inputs: [{ digest }] }` (SHA-256, for ES256) or `{ inputs: [{ message }] }` (for EdDSA), in base64url:
 *   `{ signatures: ["64 bytes in base64url"] }` in the order of the inputs
 * - `POST {url}/keys` with `{ algorithm, label }`: 201 with a member of `keys`; 405 where the operator makes keys
 *
 * 401 and 403: not allowed; 404: no such key; 429 or 503 with `Retry-After`: later. A signature may be asked for twice.
 */
export class HttpProvider implements KeyProvider {
  readonly type = 'http';
  readonly name: string;
  private readonly service: KeyService;

  constructor({ token, ...options }: HttpOptions) {
    this.service = new KeyService(options, {
      headers: async ({ headers }) => ({
        ...headers,
        ...(token && { authorization: `Bearer ${await token()}` }),
      }),
      refusal: (_, status) => ({ code: status === 405 ? 'keys-are-made-by-its-operator' : undefined }),
    });
    this.name = options.name;
  }

  async find(reference: string): Promise<ProviderKey> {
    const { keys } = await this.service.call({ method: 'GET', path: '/keys' });
    const key = (Array.isArray(keys) ? keys : []).map(objectOf).find(({ id }) => id === reference);
    if (!key) throw this.service.fault('missing', 'no such key in its list');
    return this.keyOf(key);
  }

  async generate(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    const body = { algorithm, label };
    const key = this.keyOf(await this.service.call({ method: 'POST', path: '/keys', body, isOnce: true }));
    if (key.algorithm !== algorithm) throw this.service.fault('garbage', 'a key of another algorithm');
    return key;
  }

  async sign({ algorithm, reference }: ProviderKey, data: Buffer, patience: number): Promise<Buffer> {
    // They would name other resources.
    if (/^\.{0,2}$/.test(reference)) throw this.service.fault('missing', 'a reference is the id of a key');
    const digest = hash('sha256', data, 'base64url');
    const input = algorithm === 'ES256' ? { digest } : { message: data.toString('base64url') };
    const path = `/keys/${encodeURIComponent(reference)}/sign`;
    const body = { inputs: [input] };
    const { signatures } = await this.service.call({ method: 'POST', path, body, key: reference, patience });
    const [signature] = Array.isArray(signatures) && signatures.length === 1 ? signatures : [];
    return this.service.signatureOf(decoded(signature, 'base64url'));
  }

  get calls(): ProviderCalls {
    return this.service.calls;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  private keyOf({ id, algorithm, publicJwk }: JsonObject): ProviderKey {
    if (typeof id !== 'string') throw this.service.fault('garbage', 'a key without an id');
    const key = this.service.keyOf(id, { key: objectOf(publicJwk), format: 'jwk' });
    if (key.algorithm !== algorithm) throw this.service.fault('garbage', 'a key of another algorithm');
    return key;
  }
}
