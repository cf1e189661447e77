import type { FileMutants } from './mutant';

export const signerMutants: readonly FileMutants[] = [
  {
    file: 'libs/keys/src/signing/providers/provided-key.ts',
    tests: ['libs/keys/src/signing/providers/provided-key.spec.ts'],
    mutants: [
      {
        noticed: 'a wallet gets a credential that another key has signed',
        original: '!isSignedBy(this.publicJwk, this.algorithm, data, signature)',
        replacement: 'signature.length === 0',
      },
      {
        noticed: 'the first signature of a key is used unseen',
        original: 'this.signatures % sampledEvery === 0',
        replacement: 'this.signatures % sampledEvery === 1',
      },
      {
        noticed: 'a key that was replaced at its provider signs on after it was found out',
        original: '      this.signatures = 0;\n',
        replacement: '      this.signatures++;\n',
      },
    ],
  },
  {
    file: 'libs/keys/src/signing/providers/provided-key.ts',
    tests: ['test/keys/signer-troubles.test.ts'],
    mutants: [
      {
        noticed: 'a key is adopted and published that its provider does not sign with',
        original:
          "if (!isSignedBy(key.publicJwk, key.algorithm, challenge, signature)) throw new SignerError(provider.name, 'garbage');",
      },
    ],
  },
  {
    // These need SoftHSM2.
    file: 'libs/keys/src/signing/providers/pkcs11.ts',
    tests: ['test/keys/pkcs11.test.ts'],
    mutants: [
      {
        noticed: 'a wrong PIN is tried until the token locks',
        original: '/^CK[RF]_.*PIN/.test(error.code)',
        replacement: "error.code === ''",
      },
    ],
  },
  {
    file: 'libs/keys/src/signing/providers/token.ts',
    tests: ['test/keys/pkcs11.test.ts'],
    mutants: [
      {
        noticed: 'a key signs that can leave its device',
        original: "      [CK.CKA_EXTRACTABLE, 0, 'CKA_EXTRACTABLE'],\n",
      },
    ],
  },
  {
    file: 'libs/status/src/served-list.ts',
    tests: ['libs/status/src/served-list.spec.ts'],
    mutants: [
      {
        noticed: 'an expired status list is served while its signer fails',
        original: 'known && validity.iat < known.until ? known : undefined',
        replacement: 'known',
      },
    ],
  },
];
