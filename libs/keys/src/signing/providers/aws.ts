import { hash } from 'node:crypto';
import type { JsonObject } from '@app/primitives/json';
import type { SigningAlgorithm } from '../signing-key';
import { rawSignature } from './der';
import { decoded, type ServiceDialect, KeyService, objectOf, type ServiceOptions, stringOf } from './key-service';
import type { KeyProvider, ProviderCalls, ProviderKey, SignerFault } from './provider';
import type { Secret } from './secret-file';
import { signedByV4 } from './sigv4';

export interface AwsOptions extends Omit<ServiceOptions, 'url'> {
  /** Such as `eu-central-1`. */
  readonly region: string;
  /** Where KMS is. Default: that of the region. */
  readonly url?: string;
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  /** Of credentials that are lent for a time, which somebody else has to renew. */
  readonly sessionToken?: Secret;
}

const keySpecs = { ES256: 'ECC_NIST_P256', EdDSA: 'ECC_NIST_EDWARDS25519' } as const;
const signingAlgorithms = { ES256: 'ECDSA_SHA_256', EdDSA: 'ED25519_SHA_512' } as const;
/** Of what is not hashed before. */
const longestMessage = 4_096;

/** AWS sends 400 for nearly all. */
const faults: Readonly<Record<string, SignerFault>> = {
  NotFoundException: 'missing',
  ThrottlingException: 'throttled',
  TooManyRequestsException: 'throttled',
  RequestLimitExceeded: 'throttled',
};

/** AWS KMS. A reference is the ARN of a key, or its id; keys there are never rotated. An alias is found and named by its key. */
export class AwsProvider implements KeyProvider {
  readonly type = 'aws';
  readonly name: string;
  private readonly service: KeyService;

  constructor({ region, accessKeyId, secretAccessKey, sessionToken, ...options }: AwsOptions) {
    const { url = `https://kms.${region}.amazonaws.com` } = options;
    const dialect: ServiceDialect = {
      headers: async (request) => {
        const credentials = {
          accessKeyId: await accessKeyId(),
          secretAccessKey: await secretAccessKey(),
          ...(sessionToken && { sessionToken: await sessionToken() }),
        };
        return signedByV4(request, { region, service: 'kms' }, credentials, new Date());
      },
      refusal: ({ __type: type }) => {
        const code = stringOf(type).replace(/^.*#/, '');
        return { code, fault: Object.hasOwn(faults, code) ? faults[code] : undefined };
      },
    };
    this.service = new KeyService({ ...options, url }, dialect);
    this.name = options.name;
  }

  async find(reference: string): Promise<ProviderKey> {
    const { KeyId: id, PublicKey: text } = await this.ask('GetPublicKey', { KeyId: reference });
    const key = decoded(text, 'base64');
    if (typeof id !== 'string' || !key) throw this.service.fault('garbage', 'no public key');
    return this.service.keyOf(id, { key, format: 'der', type: 'spki' });
  }

  async generate(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey> {
    const body = { KeySpec: keySpecs[algorithm], KeyUsage: 'SIGN_VERIFY', Description: label };
    const { KeyMetadata: made } = await this.ask('CreateKey', body, { isOnce: true });
    const id = objectOf(made)['Arn'];
    if (typeof id !== 'string') throw this.service.fault('garbage', 'no key');
    return this.service.ofFreshKey(() => this.find(id));
  }

  async sign({ algorithm, reference }: ProviderKey, data: Buffer, patience: number): Promise<Buffer> {
    const isDigest = algorithm === 'ES256';
    if (!isDigest && data.length > longestMessage)
      throw this.service.fault('denied', `EdDSA over more than ${longestMessage} bytes: use an ES256 key`);
    const body = {
      KeyId: reference,
      Message: (isDigest ? hash('sha256', data, 'buffer') : data).toString('base64'),
      MessageType: isDigest ? 'DIGEST' : 'RAW',
      SigningAlgorithm: signingAlgorithms[algorithm],
    };
    const { Signature: text } = await this.ask('Sign', body, { key: reference, patience });
    const signature = decoded(text, 'base64');
    return this.service.signatureOf(isDigest && signature ? rawSignature(signature) : signature);
  }

  get calls(): ProviderCalls {
    return this.service.calls;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  private ask(
    operation: string,
    body: object,
    more: { readonly key?: string; readonly patience?: number; readonly isOnce?: boolean } = {},
  ): Promise<JsonObject> {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` };
    return this.service.call({ method: 'POST', path: '/', headers, body, ...more });
  }
}
