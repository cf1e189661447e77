import { hash } from 'node:crypto';
import type { JsonObject } from '@app/primitives/json';
import type { SigningAlgorithm } from '../signing-key';
import { decoded, type ServiceDialect, KeyService, objectOf, type ServiceOptions, stringOf } from './key-service';
import type { KeyProvider, ProviderCalls, ProviderKey } from './provider';
import type { Secret } from './secret-file';

export interface VaultOptions extends ServiceOptions {
  /** It may read and sign, and where keys are made here update, at `MOUNT/keys/*` and `MOUNT/sign/*`. */
  readonly token: Secret;
  /** Where the engine is. Default `transit`. */
  readonly mount?: string;
  readonly namespace?: string;
}

/** Its errors are sentences. */
function faultIn(errors: unknown): 'missing' | undefined {
  return /not found|version/.test(JSON.stringify(errors)) ? 'missing' : undefined;
}

const keyTypes = { ES256: 'ecdsa-p256', EdDSA: 'ed25519' } as const;

/** The Transit engine of HashiCorp Vault and OpenBao. A reference is `NAME#VERSION`. */
export class VaultProvider implements KeyProvider {
  readonly type = 'vault';
  readonly name: string;
  private readonly service: KeyService;
  private readonly engine: string;

  constructor({ token, mount = 'transit', namespace, ...options }: VaultOptions) {
    const dialect: ServiceDialect = {
      headers: async ({ headers }) => ({
        ...headers,
        ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
        // Agents that add the token themselves want it.
        'x-vault-request': 'true',
        'x-vault-token': await token(),
      }),
      refusal: ({ errors }, status) => ({
        // A key that is gone is a bad request to those who sign.
        fault: status === 400 ? faultIn(errors) : undefined,
      }),
    };
    this.service = new KeyService(options, dialect);
    this.name = options.name;
    this.engine = `/v1/${mount.replace(/^\/+|\/+$/g, '')}`;
  }

  async find(reference: string): Promise<ProviderKey> {
    const { name, version } = this.parts(reference);
    const { data } = await this.service.call({ method: 'GET', path: `${this.engine}/keys/${name}` });
    return this.keyOf(objectOf(data), name, version);
  }

  async generate(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    const name = this.service.newName(label);
    const body = { type: keyTypes[algorithm], exportable: false, allow_plaintext_backup: false };
    await this.service.call({ method: 'POST', path: `${this.engine}/keys/${name}`, body, isOnce: true });
    return this.find(`${name}#1`);
  }

  async sign({ algorithm, reference }: ProviderKey, data: Buffer, patience: number): Promise<Buffer> {
    const { name, version } = this.parts(reference);
    if (version === undefined) throw this.service.fault('missing', 'the reference has no version');
    const isDigest = algorithm === 'ES256';
    const input = (isDigest ? hash('sha256', data, 'buffer') : data).toString('base64');
    const form = isDigest && { prehashed: true, hash_algorithm: 'sha2-256', marshaling_algorithm: 'jws' };
    const path = `${this.engine}/sign/${name}`;
    const own = { input, key: reference, patience };
    const result = await this.service.callTogether(
      own,
      (inputs) => {
        const body = { batch_input: inputs.map((each) => ({ input: each })), key_version: Number(version), ...form };
        return { method: 'POST', path, body };
      },
      ({ data: results }) => objectOf(results)['batch_results'],
    );
    const { signature, error } = objectOf(result);
    if (error !== undefined) throw this.service.fault(faultIn(error) ?? 'denied');
    const [, used, text] = /^vault:v(\d+):(.+)$/.exec(stringOf(signature)) ?? [];
    if (used !== version) throw this.service.fault('garbage', 'by another version of the key');
    return this.service.signatureOf(decoded(text, isDigest ? 'base64url' : 'base64'));
  }

  get calls(): ProviderCalls {
    return this.service.calls;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  private parts(reference: string): { readonly name: string; readonly version?: string } {
    const [, name, version] = /^(\w[\w.-]*)(?:#([1-9]\d{0,8}))?$/.exec(reference) ?? [];
    if (name === undefined) throw this.service.fault('missing', 'a reference is NAME#VERSION');
    return { name, ...(version !== undefined && { version }) };
  }

  private keyOf(data: JsonObject, name: string, version = stringOf(data['latest_version'])): ProviderKey {
    const text = objectOf(objectOf(data['keys'])[version])['public_key'];
    if (typeof text !== 'string') throw this.service.fault('missing', 'no such version of the key, or none that signs');
    const reference = `${name}#${version}`;
    if (data['type'] !== keyTypes.EdDSA) return this.service.keyOf(reference, text);
    const x = Buffer.from(text, 'base64').toString('base64url');
    return this.service.keyOf(reference, { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }
}
