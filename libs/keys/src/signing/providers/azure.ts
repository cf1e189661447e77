import { hash } from 'node:crypto';
import type { JsonObject } from '@app/primitives/json';
import type { SigningAlgorithm } from '../signing-key';
import { decoded, type ServiceDialect, KeyService, objectOf, type ServiceOptions, stringOf } from './key-service';
import type { KeyProvider, ProviderCalls, ProviderKey } from './provider';
import type { Secret } from './secret-file';

/** `url` is that of the vault, such as `https://NAME.vault.azure.net`. */
export interface AzureOptions extends ServiceOptions {
  /**
   * An access token for `https://vault.azure.net`, for a managed HSM `https://managedhsm.azure.net`. It ends after an hour or so: somebody
   * else, such as a sidecar, has to renew its file.
   */
  readonly token: Secret;
  /** Whether keys that are made here are in an HSM, which takes a premium vault. */
  readonly hardware?: boolean;
}

const version = 'api-version=7.4';

/** Azure Key Vault. A reference is `NAME/VERSION`. It has no Ed25519. */
export class AzureProvider implements KeyProvider {
  readonly type = 'azure';
  readonly name: string;
  private readonly service: KeyService;
  private readonly keyType: string;

  constructor({ token, hardware = false, ...options }: AzureOptions) {
    const dialect: ServiceDialect = {
      headers: async ({ headers }) => ({ ...headers, authorization: `Bearer ${await token()}` }),
      refusal: ({ error }) => ({ code: objectOf(error)['code'] }),
    };
    this.service = new KeyService(options, dialect);
    this.name = options.name;
    this.keyType = hardware ? 'EC-HSM' : 'EC';
  }

  async find(reference: string): Promise<ProviderKey> {
    return this.keyOf(await this.service.call({ method: 'GET', path: this.path(reference) }));
  }

  async generate(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    if (algorithm !== 'ES256') throw this.service.fault('denied', 'it has keys for ES256 only');
    const path = this.path(this.service.newName(label)).replace('?', '/create?');
    const body = { kty: this.keyType, crv: 'P-256', key_ops: ['sign', 'verify'] };
    return this.keyOf(await this.service.call({ method: 'POST', path, body, isOnce: true }));
  }

  async sign({ reference }: ProviderKey, data: Buffer, patience: number): Promise<Buffer> {
    if (!reference.includes('/')) throw this.service.fault('missing', 'the reference has no version');
    const path = this.path(reference).replace('?', '/sign?');
    const body = { alg: 'ES256', value: hash('sha256', data, 'base64url') };
    const { kid, value } = await this.service.call({ method: 'POST', path, body, key: reference, patience });
    if (referenceOf(kid) !== reference) throw this.service.fault('garbage', 'by another version of the key');
    return this.service.signatureOf(decoded(value, 'base64url'));
  }

  get calls(): ProviderCalls {
    return this.service.calls;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  private path(reference: string): string {
    if (!/^[\dA-Za-z-]+(\/[\dA-Za-z]+)?$/.test(reference))
      throw this.service.fault('missing', 'a reference is NAME/VERSION');
    return `/keys/${reference}?${version}`;
  }

  private keyOf({ key }: JsonObject): ProviderKey {
    const { kid, crv, x, y } = objectOf(key);
    const reference = referenceOf(kid);
    if (reference === undefined) throw this.service.fault('garbage', 'no key');
    // `kty` says where it is as well.
    const jwk = { kty: 'EC', crv: stringOf(crv), x: stringOf(x), y: stringOf(y) };
    return this.service.keyOf(reference, { key: jwk, format: 'jwk' });
  }
}

/** @param kid the address of a version of a key */
function referenceOf(kid: unknown): string | undefined {
  return /\/keys\/([^/]+\/[^/]+)$/.exec(stringOf(kid))?.[1];
}
