import type { PublicJwk } from '@app/primitives/jose';
import { Problem } from '@app/primitives/problems';
import type { SigningAlgorithm } from '../signing-key';

export const providerTypes = ['pkcs11', 'vault', 'aws', 'azure', 'google', 'http'] as const;
export type ProviderType = (typeof providerTypes)[number];

/** A key pair at a provider, whose private half stays there. */
export interface ProviderKey {
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: PublicJwk;
  /** By which the provider finds it, with its version: a key that is rotated there keeps what it was. */
  readonly reference: string;
}

/** Calls to a provider at a moment. */
export interface ProviderCalls {
  /** Behind those under way; from 500 on further ones are refused as `busy`. */
  readonly waiting: number;
  readonly underWay: number;
  /** How many may be under way; fewer than the settings say after the provider has throttled. */
  readonly allowed: number;
}

/** Where keys are that never enter this process: a device or a key service. All reject with `SignerError`. */
export interface KeyProvider {
  /** As the settings name it. */
  readonly name: string;
  readonly type: ProviderType;
  readonly calls: ProviderCalls;
  /**
   * A key that the operator has made. @param reference as the provider names keys; without a version the latest one counts, and the result
   * names it
   */
  find(reference: string): Promise<ProviderKey>;
  /** Makes a key pair that cannot be exported; absent where the operator makes keys. @param label for people */
  generate?(algorithm: SigningAlgorithm, label: string): Promise<ProviderKey>;
  /**
   * The signature of JWS over the data: 64 bytes, r and s side by side for ES256. It is not verified here.
   * @param patience milliseconds
   */
  sign(key: ProviderKey, data: Buffer, patience: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** throttled: later; unreachable, timeout: perhaps later; denied, missing: not before the operator acts; garbage: not what was asked for. */
export type SignerFault = 'throttled' | 'unreachable' | 'timeout' | 'denied' | 'missing' | 'garbage' | 'busy';

/** Seconds after which callers try again, when the provider does not say. */
const usualRetryAfter = 2;

/**
 * A provider did not do what it was asked for. The message, for the operator, names provider and fault, no secret and nothing of what was
 * signed; callers learn neither.
 */
export class SignerError extends Problem {
  constructor(
    readonly provider: string,
    readonly fault: SignerFault,
    /** Seconds after which it may work, when the provider says. */
    readonly retryAfter?: number,
    /** For the operator: a word of the provider's own, such as `CKR_PIN_INCORRECT`, or what is wrong. */
    readonly code?: string,
  ) {
    const headers = { 'Retry-After': String(retryAfter ?? usualRetryAfter) };
    super('unavailable', 'What has to be signed cannot be signed at the moment.', [], headers);
    this.name = 'SignerError';
    this.message = `The signer "${provider}": ${fault}${code === undefined ? '' : ` (${code})`}`;
  }
}
