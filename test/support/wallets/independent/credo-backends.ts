import { type BaseRecord, type FileSystem, type Kms, RecordNotFoundError, StorageVersionRecord } from '@credo-ts/core';
import { createPublicKey, type JsonWebKey, type KeyObject, randomBytes, randomUUID, sign, verify } from 'node:crypto';
import { newPrivateKey } from '../key-proofs';
import type { Json } from '../../http/requests';
import { encryptByAgreement } from './key-agreement';

/** Credo needs a storage of its embedder: this one is a map. */
export class RecordsInMemory {
  readonly supportsCursorPagination = false;
  private readonly records = new Map<string, BaseRecord>();

  constructor() {
    const storageVersion = StorageVersionRecord.frameworkStorageVersion;
    void this.save(undefined, new StorageVersionRecord({ storageVersion }));
  }

  save(_: unknown, record: BaseRecord): Promise<void> {
    this.records.set(record.id, record);
    return Promise.resolve();
  }

  update(_: unknown, record: BaseRecord): Promise<void> {
    return this.save(_, record);
  }

  getById(_: unknown, { type }: { type: string }, id: string): Promise<BaseRecord> {
    const record = this.records.get(id);
    return record
      ? Promise.resolve(record)
      : Promise.reject(new RecordNotFoundError('not stored', { recordType: type }));
  }

  getAll(_: unknown, { type }: { type: string }): Promise<BaseRecord[]> {
    return Promise.resolve([...this.records.values()].filter((record) => record.type === type));
  }

  async findByQuery(_: unknown, kind: { type: string }, query: Json): Promise<BaseRecord[]> {
    return (await this.getAll(_, kind)).filter((record) => matches(record.getTags(), query));
  }
}

/** The part of Credo's query language that a wallet needs: equal tags, tags that hold values, and `$or`. */
function matches(tags: Json, { $or, ...equal }: Json): boolean {
  const alternatives = $or as Json[] | undefined;
  if (alternatives?.some((query) => matches(tags, query)) === false) return false;
  return Object.entries(equal).every(([name, wanted]) => {
    if (wanted === undefined) return true;
    const found = tags[name];
    return Array.isArray(wanted)
      ? Array.isArray(found) && wanted.every((one) => found.includes(one))
      : found === wanted;
  });
}

/** Credo needs keys and signatures of its embedder: these are made by node:crypto. */
export class KeysInMemory implements Kms.KeyManagementService {
  readonly backend = 'memory';
  private readonly keys = new Map<string, { privateKey: KeyObject; publicJwk: Kms.KmsJwkPublic }>();

  isOperationSupported(_: unknown, { operation }: Kms.KmsOperation): boolean {
    return ['createKey', 'sign', 'verify', 'randomBytes', 'encrypt', 'deleteKey'].includes(operation);
  }

  createKey<Type extends Kms.KmsCreateKeyType>(
    _: unknown,
    { type }: Kms.KmsCreateKeyOptions<Type>,
  ): Promise<Kms.KmsCreateKeyReturn<Type>> {
    const keyId = randomUUID();
    const privateKey = newPrivateKey(type.kty === 'EC' ? 'ES256' : 'EdDSA');
    const publicJwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: keyId } as Kms.KmsJwkPublic;
    this.keys.set(keyId, { privateKey, publicJwk });
    return Promise.resolve({ keyId, publicJwk } as Kms.KmsCreateKeyReturn<Type>);
  }

  getPublicKey(_: unknown, keyId: string): Promise<Kms.KmsJwkPublic | null> {
    return Promise.resolve(this.keys.get(keyId)?.publicJwk ?? null);
  }

  sign(_: unknown, { keyId, algorithm, data }: Kms.KmsSignOptions): Promise<Kms.KmsSignReturn> {
    const key = this.keys.get(keyId);
    if (!key) return Promise.reject(new Error(`there is no key ${keyId}`));
    return Promise.resolve({ signature: sign(digestOf(algorithm), data, rawSignature(key.privateKey)) });
  }

  verify(_: unknown, { key, algorithm, data, signature }: Kms.KmsVerifyOptions): Promise<Kms.KmsVerifyReturn> {
    const publicJwk = key.publicJwk;
    if (!publicJwk) return Promise.reject(new Error('the key is given by value'));
    const publicKey = createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' });
    const verified = verify(digestOf(algorithm), data, rawSignature(publicKey), signature);
    return Promise.resolve(verified ? { verified, publicJwk } : { verified });
  }

  readonly importKey = unavailable;
  readonly decrypt = unavailable;

  deleteKey(_: unknown, { keyId }: Kms.KmsDeleteKeyOptions): Promise<boolean> {
    return Promise.resolve(this.keys.delete(keyId));
  }

  /** For the response to a verifier: ECDH-ES with AES-GCM and nothing else. */
  encrypt(_: unknown, { key, encryption, data }: Kms.KmsEncryptOptions): Promise<Kms.KmsEncryptReturn> {
    const agreement = key.keyAgreement;
    const { algorithm: enc } = encryption;
    if (agreement?.algorithm !== 'ECDH-ES' || (enc !== 'A128GCM' && enc !== 'A256GCM')) return unavailable();
    const { keyId, externalPublicJwk, apu = new Uint8Array(), apv = new Uint8Array() } = agreement;
    const privateKey = this.keys.get(keyId)?.privateKey;
    if (!privateKey) return Promise.reject(new Error(`there is no key ${keyId}`));
    const publicKey = createPublicKey({ key: externalPublicJwk as JsonWebKey, format: 'jwk' });
    const { aad = new Uint8Array() } = encryption;
    const encrypted = encryptByAgreement({ privateKey, publicKey, enc, apu, apv }, data, aad);
    return Promise.resolve(encrypted as unknown as Kms.KmsEncryptReturn);
  }

  randomBytes(_: unknown, { length }: Kms.KmsRandomBytesOptions): Uint8Array {
    return randomBytes(length);
  }
}

/** Credo needs a file system for data that this wallet does not have. */
export class FilesInMemory implements FileSystem {
  readonly dataPath = '';
  readonly cachePath = '';
  readonly tempPath = '';

  exists(): Promise<boolean> {
    return Promise.resolve(false);
  }

  readonly createDirectory = unavailable;
  readonly copyFile = unavailable;
  readonly write = unavailable;
  readonly read = unavailable;
  readonly delete = unavailable;
  readonly downloadToFile = unavailable;
}

function unavailable(): Promise<never> {
  return Promise.reject(new Error('this wallet needs no such thing'));
}

function digestOf(algorithm: string): string | null {
  return algorithm === 'ES256' ? 'sha256' : null;
}

function rawSignature(key: KeyObject) {
  return { key, dsaEncoding: 'ieee-p1363' as const };
}
