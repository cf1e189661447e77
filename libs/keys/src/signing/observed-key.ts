import type { SigningAlgorithm, SigningKey } from './signing-key';

/** Called for each signature with the seconds it took. */
export type SigningObserver = (algorithm: SigningAlgorithm, seconds: number) => void;

export function observed(
  key: SigningKey,
  observe: SigningObserver,
): Pick<SigningKey, 'kid' | 'algorithm' | 'publicJwk' | 'signJwt'> {
  const { kid, algorithm, publicJwk } = key;
  return {
    kid,
    algorithm,
    publicJwk,
    signJwt(header, payload) {
      const begin = performance.now();
      const jwt = key.signJwt(header, payload);
      observe(algorithm, (performance.now() - begin) / 1000);
      return jwt;
    },
  };
}
