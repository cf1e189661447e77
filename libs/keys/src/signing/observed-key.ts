import type { KeyPair, SigningAlgorithm } from './signing-key';

/** Called for each signature that was made, with the seconds it took. */
export type SigningObserver = (algorithm: SigningAlgorithm, seconds: number) => void;

export function observed(key: KeyPair, observe: SigningObserver): KeyPair {
  const { kid, algorithm, publicJwk } = key;
  return {
    kid,
    algorithm,
    publicJwk,
    async sign(data) {
      const begin = performance.now();
      const signature = await key.sign(data);
      observe(algorithm, (performance.now() - begin) / 1000);
      return signature;
    },
  };
}
