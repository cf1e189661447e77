import { Logger } from '@nestjs/common';
import { SigningKey } from '../signing-key';
import { ProvidedKey, type SigningPolicy } from './provided-key';
import { type KeyProvider, SignerError, type SignerFault } from './provider';
import { ProviderProbe } from './provider-probe';

const { key } = SigningKey.generate('ES256');

function begin() {
  const knobs: { fault?: SignerFault; hangs?: boolean } = {};
  const sign = jest.fn((_key: unknown, data: Buffer) => {
    if (knobs.hangs) return new Promise<Buffer>(() => undefined);
    return knobs.fault ? Promise.reject(new SignerError('hsm', knobs.fault, undefined, 'a-secret')) : key.sign(data);
  });
  const provider = { name: 'hsm', sign } as unknown as KeyProvider;
  const policy: SigningPolicy = {
    ...{ providers: new Map([['hsm', provider]]), signers: { credentials: 'hsm' } },
    ...{ patience: () => 1_000, verify: 'always' },
  };
  const row = { algorithm: 'ES256', publicJwk: key.publicJwk, provider: 'hsm', reference: 'one' };
  const provided = ProvidedKey.of(row as Parameters<typeof ProvidedKey.of>[0], policy, () => undefined);
  const probe = new ProviderProbe(policy, () => (provided ? [provided] : []));
  const lines: unknown[] = [];
  const keep = (line: unknown): void => void lines.push(line);
  jest.spyOn(Logger.prototype, 'error').mockImplementation(keep);
  jest.spyOn(Logger.prototype, 'log').mockImplementation(keep);
  return { knobs, sign, probe, lines };
}

describe('the keys at a signer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are tried once in ten seconds, and what changes is in the log once, without a word of the signer', async () => {
    const { knobs, sign, probe, lines } = begin();
    knobs.fault = 'denied';
    probe.start();
    await jest.advanceTimersByTimeAsync(59_000);
    expect(sign).toHaveBeenCalledTimes(6);
    const failing = { algorithm: 'ES256', reason: 'denied' };
    expect(probe.failing).toEqual([{ ...failing, provider: 'hsm' }]);
    expect(lines).toEqual([{ event: 'signer.failing', signer: 'hsm', ...failing }]);
    delete knobs.fault;
    await jest.advanceTimersByTimeAsync(20_000);
    expect([probe.failing, lines.slice(1)]).toEqual([[], [{ event: 'signer.signs' }]]);
    probe.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sign).toHaveBeenCalledTimes(8);
  });

  it('are not tried again while the signer hangs', async () => {
    const { knobs, sign, probe } = begin();
    knobs.hangs = true;
    probe.start();
    await jest.advanceTimersByTimeAsync(60_000);
    probe.stop();
    expect(sign).toHaveBeenCalledTimes(1);
  });
});
