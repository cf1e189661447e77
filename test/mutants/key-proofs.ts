import type { FileMutants } from './mutant';

export const keyProofMutants: readonly FileMutants[] = [
  {
    file: 'libs/credentials/src/key-proof/key-proof.ts',
    tests: ['libs/credentials/src/key-proof/key-proof.spec.ts'],
    mutants: [
      {
        noticed: 'a JWT that was made for something else is a key proof',
        original: "if (jws.header['typ'] !== PROOF_TYPE) throw new KeyProofError('wrong-type');",
      },
      {
        noticed: 'a proof by an algorithm we do not announce is rejected with the wrong error',
        original: "policy.algorithms.some((allowed) => allowed === jws.header['alg'])",
        replacement: 'policy.algorithms.length > 0',
      },
      {
        noticed: 'a proof made for another issuer is taken',
        original: "if (!isAudience(claims['aud'], policy)) throw new KeyProofError('wrong-audience');",
      },
      {
        noticed: 'an old proof is taken',
        original: "if (iat < now - maxAgeSeconds - CLOCK_SKEW_SECONDS) throw new KeyProofError('too-old');",
      },
      {
        noticed: 'a proof from the future is taken',
        original: "if (iat > now + CLOCK_SKEW_SECONDS) throw new KeyProofError('in-the-future');",
      },
      {
        noticed: 'an expired proof is taken',
        original: "typeof exp === 'number' && exp > now - CLOCK_SKEW_SECONDS",
        replacement: "typeof exp === 'number'",
      },
      {
        noticed: 'one fresh nonce carries old proofs of other keys',
        original: "if (proofs.some(({ nonce }) => nonce !== first.nonce)) throw new KeyProofError('different-nonces');",
      },
      {
        noticed: 'two credentials are bound to one key',
        original:
          "if (new Set(proofs.map((proof) => proof.thumbprint)).size < proofs.length) throw new KeyProofError('repeated-key');",
      },
      {
        noticed: 'a proof that names two keys binds the credential to one of them',
        original: "if (named.length > 1) throw new KeyProofError('several-keys');",
      },
      {
        noticed: 'a credential is bound to the key of another person',
        original: 'verifySignature(jws, holder.jwk, policy.algorithms);',
      },
      {
        noticed: 'a proof in the name of another DID is taken',
        original: 'if (isTolerated && did !== undefined && issuer !== did)',
        replacement: 'if (isTolerated && did !== undefined && issuer === null)',
      },
      {
        noticed: 'a DID of a method the template does not allow is taken',
        original: 'requireBindingMethod(method, policy);',
      },
      {
        noticed: 'a bare key is taken although the template wants DIDs',
        original: "requireBindingMethod('jwk', policy);\n    return",
        replacement: 'return',
      },
      {
        noticed: 'one request has any number of credentials signed',
        original: "if (jwts.length > policy.maxProofs) throw new KeyProofError('too-many-proofs');",
      },
    ],
  },
  {
    file: 'libs/primitives/src/jose/jws.ts',
    tests: ['libs/primitives/src/jose/jws.spec.ts'],
    mutants: [
      {
        noticed: 'a token whose header demands what we do not know is taken',
        original:
          "if (Object.hasOwn(header, 'crit')) throw new JwsError('critical-header', 'the header has a crit member');",
      },
      {
        noticed: 'the header chooses how a key of another kind is read',
        original: "if (key.crv !== crv) throw new JwsError('key-mismatch', 'the algorithm does not fit the key');",
      },
      {
        noticed: 'any signature verifies',
        original: 'if (!isSignedBy(key, algorithm, Buffer.from(jws.signingInput), jws.signature)) {',
        replacement: 'if (key === undefined) {',
      },
      {
        noticed: 'an algorithm that the caller does not accept is used',
        original: "algorithms.find((allowed) => allowed === jws.header['alg'])",
        replacement: "JWS_ALGORITHMS.find((allowed) => allowed === jws.header['alg'])",
      },
    ],
  },
  {
    file: 'libs/keys/src/root/root-keys.ts',
    tests: ['libs/keys/src/root/root-keys.spec.ts'],
    mutants: [
      {
        noticed: 'an attacker with a backup and the old password puts their own data keys back',
        original: 'if (this.#former.get(root.generation)?.opens === false) throw new SealBrokenError();',
      },
      {
        noticed: 'claims that come in late stay under the old root key',
        original: 'performance.now() - this.#readAt > this.#leaseMs',
        replacement: 'false',
      },
    ],
  },
  {
    file: 'libs/keys/src/sealing/wrapped-key.ts',
    tests: ['libs/keys/src/sealing/sealer.spec.ts'],
    mutants: [
      {
        noticed: 'the data key of one person opens for another',
        original: 'return `${DATA_KEY}/${stream}`;',
        replacement: 'return DATA_KEY + stream.length;',
      },
    ],
  },
  {
    file: 'libs/keys/src/signing/key-ring.ts',
    tests: ['libs/keys/src/store/altered-keys.spec.ts'],
    mutants: [
      {
        noticed: 'a revoked key signs again when it is set to active in the database',
        original: '!row.isProven || isBehind',
        replacement: 'isBehind',
      },
      {
        noticed: 'a key that was put back as it was once signs again',
        original: "isBehind || (row.status === 'active' && isReplaced)",
        replacement: 'false',
      },
    ],
  },
  {
    file: 'libs/keys/src/proofs/sealed-token.ts',
    tests: ['libs/keys/src/proofs/sealed-token.spec.ts'],
    mutants: [
      {
        noticed: 'anyone can forge codes and access tokens',
        original:
          "if (!isOurs(this.authenticator) && !this.othersFor(expiresAt, longest).some(isOurs)) return 'forged';",
      },
      {
        noticed: 'a token outlives its end by a millisecond',
        original: 'return now < expiresAt ?',
        replacement: 'return now <= expiresAt ?',
      },
      {
        noticed: 'a nonce is accepted as an access token',
        original: 'by.mac(`token/${purpose}`,',
        replacement: "by.mac('token',",
      },
    ],
  },
];
