import { Logger } from '@nestjs/common';
import type { SigningAlgorithm } from '../signing-key';
import type { ProvidedKey, SigningPolicy } from './provided-key';
import { type ProviderCalls, SignerError } from './provider';

const every = 10_000;
const probed = Buffer.from('probe');

/** Why a key at a provider cannot sign. */
export interface FailingKey {
  readonly algorithm: SigningAlgorithm;
  /** As the settings name it. */
  readonly provider: string;
  /** A `SignerFault`. */
  readonly reason: string;
}

/** Has the keys at providers sign from time to time: who asks whether they do waits for no provider. */
export class ProviderProbe {
  private readonly logger = new Logger('Signers');
  private readonly inUse: ReadonlySet<string>;
  private timer: NodeJS.Timeout | undefined;
  private found: readonly FailingKey[] = [];
  private running: Promise<readonly FailingKey[]> | undefined;

  private more: () => readonly ProvidedKey[] = () => [];

  /** @param active the keys that sign, of whichever provider */
  constructor(
    private readonly policy: Pick<SigningPolicy, 'providers' | 'signers'>,
    private readonly active: () => readonly ProvidedKey[],
  ) {
    this.inUse = new Set(Object.values(policy.signers));
  }

  /** Looks at further keys, whatever signers the settings have for what. */
  include(more: () => readonly ProvidedKey[]): void {
    this.more = more;
  }

  start(): void {
    this.timer = setInterval(() => void this.look(), every).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** What was found at the last look. */
  get failing(): readonly FailingKey[] {
    return this.found;
  }

  /** The calls to each provider that the settings name, now. */
  get calls(): readonly (ProviderCalls & { readonly provider: string })[] {
    return [...this.policy.providers].map(([provider, { calls }]) => ({ provider, ...calls }));
  }

  async look(): Promise<readonly FailingKey[]> {
    // A provider that hangs is not asked again before it has answered.
    this.running ??= this.tried().finally(() => (this.running = undefined));
    const before = this.found.map(textOf);
    this.found = await this.running;
    for (const failing of this.found) {
      const { provider: signer, algorithm, reason } = failing;
      if (!before.includes(textOf(failing))) this.logger.error({ event: 'signer.failing', signer, algorithm, reason });
    }
    if (before.length > 0 && this.found.length === 0) this.logger.log({ event: 'signer.signs' });
    return this.found;
  }

  private async tried(): Promise<readonly FailingKey[]> {
    const keys = this.active().filter(({ provider }) => this.inUse.has(provider));
    const without = [...this.inUse].filter((name) => !keys.some(({ provider }) => provider === name));
    const failing = await Promise.all([...keys, ...this.more()].map((key) => faultOf(key)));
    const keyless = without.map((provider): FailingKey => ({ algorithm: 'ES256', provider, reason: 'missing' }));
    // Two keys of a kind say the same.
    return [...new Map([...keyless, ...failing.flat()].map((one) => [textOf(one), one])).values()];
  }
}

async function faultOf(key: ProvidedKey): Promise<FailingKey[]> {
  try {
    await key.sign(probed);
    return [];
  } catch (error) {
    const { algorithm, provider } = key;
    return [{ algorithm, provider, reason: error instanceof SignerError ? error.fault : 'failed' }];
  }
}

function textOf({ provider, algorithm, reason }: FailingKey): string {
  return [provider, algorithm, reason].join();
}
