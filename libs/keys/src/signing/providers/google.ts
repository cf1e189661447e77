import { hash } from 'node:crypto';
import type { JsonObject } from '@app/primitives/json';
import type { SigningAlgorithm } from '../signing-key';
import { crc32c } from './crc32c';
import { rawSignature } from './der';
import {
  type Call,
  decoded,
  type ServiceDialect,
  KeyService,
  objectOf,
  type ServiceOptions,
  stringOf,
} from './key-service';
import type { KeyProvider, ProviderCalls, ProviderKey } from './provider';
import type { Secret } from './secret-file';

export interface GoogleOptions extends Omit<ServiceOptions, 'url'> {
  /** Default `https://cloudkms.googleapis.com`. */
  readonly url?: string;
  /**
   * An access token for `https://www.googleapis.com/auth/cloudkms`. It ends after an hour: somebody else, such as a sidecar, has to renew
   * its file.
   */
  readonly token: Secret;
  /** `projects/P/locations/L/keyRings/R`, in which keys are made. None are made here when absent. */
  readonly keyRing?: string;
  /** Whether keys that are made here are in an HSM. */
  readonly hardware?: boolean;
}

const algorithms = { ES256: 'EC_SIGN_P256_SHA256', EdDSA: 'EC_SIGN_ED25519' } as const;
const part = String.raw`[\w-][\w.:-]*`;
const ringForm = `projects/${part}/locations/${part}/keyRings/${part}`;
const referenceForm = new RegExp(`^${ringForm}/cryptoKeys/${part}(/cryptoKeyVersions/\\d+)?$`);

/** Google Cloud KMS. A reference is the resource name of a version: `projects/…/cryptoKeys/…/cryptoKeyVersions/N`. */
export class GoogleProvider implements KeyProvider {
  readonly type = 'google';
  readonly name: string;
  readonly generate?: (algorithm: SigningAlgorithm, label: string) => Promise<ProviderKey>;
  private readonly service: KeyService;
  private readonly protectionLevel: string;

  constructor({ token, keyRing, hardware = false, ...options }: GoogleOptions) {
    const { url = 'https://cloudkms.googleapis.com' } = options;
    const dialect: ServiceDialect = {
      headers: async ({ headers }) => ({ ...headers, authorization: `Bearer ${await token()}` }),
      refusal: ({ error }) => ({ code: objectOf(error)['status'] }),
    };
    this.service = new KeyService({ ...options, url }, dialect);
    this.name = options.name;
    this.protectionLevel = hardware ? 'HSM' : 'SOFTWARE';
    if (keyRing !== undefined) this.generate = (algorithm, label) => this.make(keyRing, algorithm, label);
  }

  async find(reference: string): Promise<ProviderKey> {
    if (!referenceForm.test(reference))
      throw this.service.fault('missing', 'a reference is projects/…/cryptoKeys/…/cryptoKeyVersions/N');
    const version = reference.includes('/cryptoKeyVersions/') ? reference : await this.latest(reference);
    const { pem, pemCrc32c } = await this.ask('GET', `${version}/publicKey`);
    if (typeof pem !== 'string' || checksum(pem) !== stringOf(pemCrc32c))
      throw this.service.fault('garbage', 'checksum');
    return this.service.keyOf(version, pem);
  }

  async sign({ algorithm, reference }: ProviderKey, data: Buffer, patience: number): Promise<Buffer> {
    if (!/\/\d+$/.test(reference)) throw this.service.fault('missing', 'the reference has no version');
    const isDigest = algorithm === 'ES256';
    const input = isDigest ? hash('sha256', data, 'buffer') : data;
    const text = input.toString('base64');
    const body = isDigest
      ? { digest: { sha256: text }, digestCrc32c: checksum(input) }
      : { data: text, dataCrc32c: checksum(input) };
    const answer = await this.ask('POST', `${reference}:asymmetricSign`, { body, key: reference, patience });
    if (answer['name'] !== reference) throw this.service.fault('garbage', 'by another version of the key');
    const signature = decoded(answer['signature'], 'base64');
    const isReceived = answer[isDigest ? 'verifiedDigestCrc32c' : 'verifiedDataCrc32c'] === true;
    if (!signature || !isReceived || checksum(signature) !== stringOf(answer['signatureCrc32c']))
      throw this.service.fault('garbage', 'checksum');
    return this.service.signatureOf(isDigest ? rawSignature(signature) : signature);
  }

  get calls(): ProviderCalls {
    return this.service.calls;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  private async make(keyRing: string, algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    const { protectionLevel } = this;
    const body = { purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm: algorithms[algorithm], protectionLevel } };
    const name = this.service.newName(label);
    await this.ask('POST', `${keyRing}/cryptoKeys?cryptoKeyId=${name}`, { body, isOnce: true });
    return this.service.ofFreshKey(() => this.find(`${keyRing}/cryptoKeys/${name}/cryptoKeyVersions/1`));
  }

  /** Of the versions that can sign. */
  private async latest(key: string): Promise<string> {
    const path = `${key}/cryptoKeyVersions?filter=state%3DENABLED&pageSize=1000`;
    const { cryptoKeyVersions: list = [] } = await this.ask('GET', path);
    const names = (Array.isArray(list) ? list : []).map((each) => stringOf(objectOf(each)['name']));
    const numbers = names.map((name) => Number(/\/(\d+)$/.exec(name)?.[1] ?? 0));
    const latest = Math.max(0, ...numbers);
    if (latest === 0) throw this.service.fault('missing', 'no version of the key is enabled');
    return `${key}/cryptoKeyVersions/${latest}`;
  }

  private ask(method: Call['method'], path: string, more: Partial<Call> = {}): Promise<JsonObject> {
    return this.service.call({ ...more, method, path: `/v1/${path}` });
  }
}

/** As JSON has numbers of 64 bits. */
function checksum(data: Buffer | string): string {
  return String(crc32c(typeof data === 'string' ? Buffer.from(data) : data));
}
