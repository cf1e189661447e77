import { SigningKey } from '../signing-key';
import { type ProviderObserver, ProvidedKey, type SigningPolicy } from './provided-key';
import type { KeyProvider } from './provider';

const { key } = SigningKey.generate('ES256');
const other = SigningKey.generate('ES256').key;
const data = Buffer.from('header.payload');

/** A key at a provider that signs by another one from time to time. */
function begin(verify: SigningPolicy['verify']) {
  const knobs = { signer: key };
  const provider = { name: 'hsm', sign: () => knobs.signer.sign(data) } as unknown as KeyProvider;
  const policy = { providers: new Map([['hsm', provider]]), signers: {}, patience: () => 1_000, verify };
  const outcomes: string[] = [];
  const observe: ProviderObserver = (_provider, _algorithm, outcome) => void outcomes.push(outcome);
  const row = { algorithm: 'ES256', publicJwk: key.publicJwk, provider: 'hsm', reference: 'one' };
  const provided = ProvidedKey.of(row as unknown as Parameters<typeof ProvidedKey.of>[0], policy, observe);
  if (!provided) throw new Error('no key');
  return { knobs, provided, outcomes };
}

describe('a key at a provider', () => {
  it('is tried by its first signature, and by the next one after a failure', async () => {
    const { knobs, provided, outcomes } = begin('sampled');
    knobs.signer = other;
    for (let times = 0; times < 2; times++)
      await expect(provided.sign(data)).rejects.toMatchObject({ provider: 'hsm', fault: 'garbage' });
    knobs.signer = key;
    await expect(provided.sign(data)).resolves.toHaveLength(64);
    expect(outcomes).toEqual(['garbage', 'garbage', 'signed']);
  });

  it('is tried by one signature in a thousand', async () => {
    const { knobs, provided } = begin('sampled');
    await provided.sign(data);
    knobs.signer = other;
    for (let times = 1; times < 1_000; times++) await provided.sign(data);
    await expect(provided.sign(data)).rejects.toMatchObject({ fault: 'garbage' });
  });

  it('is tried by each, where that is asked for', async () => {
    const { knobs, provided } = begin('always');
    await provided.sign(data);
    knobs.signer = other;
    await expect(provided.sign(data)).rejects.toMatchObject({ fault: 'garbage' });
  });
});
