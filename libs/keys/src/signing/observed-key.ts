import type { ProviderObserver } from './providers/provided-key';
import type { KeyPair, SigningAlgorithm } from './signing-key';

/** Called for each signature that was made, with the seconds it took. */
export type SigningObserver = (algorithm: SigningAlgorithm, seconds: number) => void;

/** Who is told of signatures; keys of all issuers may have the same. */
export interface Observers {
  signing?: SigningObserver;
  provider?: ProviderObserver;
}

export function observed(key: KeyPair, observe: SigningObserver): KeyPair {
  const { kid, algorithm, publicJwk } = key;
  return {
    kid,
    algorithm,
    publicJwk,
    sign(data) {
      const begin = performance.now();
      return key.sign(data).then((signature) => {
        observe(algorithm, (performance.now() - begin) / 1000);
        return signature;
      });
    },
  };
}
