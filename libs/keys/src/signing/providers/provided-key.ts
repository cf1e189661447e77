import { isSignedBy, type PublicJwk, thumbprint } from '@app/primitives/jose';
import { randomBytes } from 'node:crypto';
import type { StoredKey } from '../../store/key-store';
import { type KeyPair, type SigningAlgorithm, signingAlgorithms } from '../signing-key';
import { type KeyProvider, type ProviderKey, SignerError } from './provider';

/** What is signed. */
export type SigningUse = 'credentials' | 'requests' | 'status' | 'metadata';

/** The providers that the settings name, and what is asked of them. */
export interface SigningPolicy {
  readonly providers: ReadonlyMap<string, KeyProvider>;
  /** By name, who signs what; keys in this process sign the rest. */
  readonly signers: Readonly<Partial<Record<SigningUse, string>>>;
  /** Milliseconds that a signature may take for the work under way. */
  readonly patience: () => number;
  /** Verifies each signature, or the first of each key and one in a thousand. */
  readonly verify: 'always' | 'sampled';
}

/** Called for each signature that a provider was asked for. @param outcome `signed` or a `SignerFault` */
export type ProviderObserver = (
  provider: string,
  algorithm: SigningAlgorithm,
  outcome: string,
  seconds: number,
) => void;

/** Of a store that is only read or checked. */
export const noProviders: SigningPolicy = {
  providers: new Map(),
  signers: {},
  patience: () => 10_000,
  verify: 'always',
};

const sampledEvery = 1_000;

/** Rejects with `SignerError`. */
export function providerOf({ providers }: SigningPolicy, name: string): KeyProvider {
  const provider = providers.get(name);
  if (!provider) throw new SignerError(name, 'missing', undefined, 'not among the settings');
  return provider;
}

/** Has a provider make a key. Rejects with `SignerError`; 'denied' where keys are made by the operator. */
export async function generateAt(provider: KeyProvider, algorithm: SigningAlgorithm): Promise<ProviderKey> {
  if (provider.generate) return provider.generate(algorithm, `sealwright-${algorithm.toLowerCase()}`);
  throw new SignerError(provider.name, 'denied', undefined, 'keys are made by its operator');
}

/** Has a key sign a challenge, before it is taken. Rejects with `SignerError`. */
export async function demandSignature(provider: KeyProvider, key: ProviderKey, policy: SigningPolicy): Promise<void> {
  const challenge = randomBytes(32);
  const signature = await provider.sign(key, challenge, policy.patience());
  if (!isSignedBy(key.publicJwk, key.algorithm, challenge, signature)) throw new SignerError(provider.name, 'garbage');
}

/** A key pair at a provider: what it signs is used when the public half verifies it, which was stored when the key was adopted. */
export class ProvidedKey implements KeyPair {
  readonly kid: string;
  private signatures = 0;

  constructor(
    readonly provider: string,
    private readonly key: ProviderKey,
    private readonly policy: SigningPolicy,
    private readonly observe: ProviderObserver,
  ) {
    this.kid = thumbprint(key.publicJwk);
  }

  /** Undefined when the row is of no algorithm that signs. */
  static of(
    { algorithm: name, publicJwk, provider, reference }: StoredKey,
    policy: SigningPolicy,
    observe: ProviderObserver,
  ): ProvidedKey | undefined {
    const algorithm = signingAlgorithms.find((known) => known === name);
    if (!algorithm || !publicJwk || provider === null || reference === null) return undefined;
    return new ProvidedKey(provider, { algorithm, publicJwk, reference }, policy, observe);
  }

  get algorithm(): SigningAlgorithm {
    return this.key.algorithm;
  }

  get publicJwk(): PublicJwk {
    return this.key.publicJwk;
  }

  /** Rejects with `SignerError`. */
  async sign(data: Buffer): Promise<Buffer> {
    const begin = performance.now();
    const tell = (outcome: string): void => {
      this.observe(this.provider, this.algorithm, outcome, (performance.now() - begin) / 1000);
    };
    try {
      const signature = await this.signed(data);
      tell('signed');
      return signature;
    } catch (error) {
      tell(error instanceof SignerError ? error.fault : 'failed');
      throw error;
    }
  }

  private async signed(data: Buffer): Promise<Buffer> {
    const at = providerOf(this.policy, this.provider);
    const signature = await at.sign(this.key, data, this.policy.patience());
    const isChecked = this.policy.verify === 'always' || this.signatures % sampledEvery === 0;
    if (isChecked && !isSignedBy(this.publicJwk, this.algorithm, data, signature)) {
      // The next one is checked as well.
      this.signatures = 0;
      throw new SignerError(this.provider, 'garbage');
    }
    this.signatures++;
    return signature;
  }
}
