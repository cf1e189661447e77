import type { FileMutants } from './mutant';

const sdJwtVc = 'libs/credentials/src/formats/sd-jwt-vc/verify.spec.ts';
const keyBinding = 'libs/credentials/src/formats/sd-jwt-vc/key-binding.spec.ts';
const acceptedType = 'libs/credentials/src/formats/sd-jwt-vc/accepted-type.spec.ts';
const jwtVp = 'libs/credentials/src/formats/jwt-vc-json/verify.spec.ts';

export const presentationMutants: readonly FileMutants[] = [
  {
    file: 'libs/credentials/src/presentation/presentation-conditions.ts',
    tests: [sdJwtVc, keyBinding],
    mutants: [
      {
        noticed: 'a presentation is replayed',
        original: 'demand(nonce === expected,',
        replacement: 'demand(nonce !== null,',
      },
      {
        noticed: 'an untrusted issuer is accepted',
        original: "demand(byName !== 'untrusted' || isCertified,",
        replacement: 'demand(byName !== null,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/verify.ts',
    tests: [sdJwtVc, keyBinding],
    mutants: [
      {
        noticed: 'a presentation made for another verifier is taken',
        original: "demand(payload['aud'] === clientId,",
        replacement: "demand(payload['aud'] !== null,",
      },
      {
        noticed: 'anyone can sign credentials in the name of an issuer',
        original: 'verifyJws(sdJwt.jws, firstKey.jwk, policy.algorithms);',
      },
      {
        noticed: 'a stolen credential is presented without the key of its holder',
        original: "throw new Refusal('the presentation has no key binding JWT');",
      },
      {
        noticed: 'an expired credential is accepted',
        original: "checkValidNow(times, now, 'the credential');",
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/verify.ts',
    tests: [acceptedType],
    mutants: [
      {
        noticed: 'an issuer that is trusted for one of the types asked for is trusted for all that its metadata name',
        original: 'const ofType = { ...named, types: [[type]] };',
        replacement: 'const ofType = type === "" ? { ...named, types: [[type]] } : named;',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/accepted-type.ts',
    tests: [acceptedType],
    mutants: [
      {
        noticed: 'an issuer vouches itself into another type by naming it in aka_vcts',
        original: 'if (this.stated.length > 0) return this.stated.map(({ type }) => type);',
        replacement: 'if (this.stated.length > 0) return [this.credential.type];',
      },
      {
        noticed: 'an issuer that is not trusted for what is asked for has metadata fetched',
        original: 'return this.mayInherit ? this.asked : [this.credential.type];',
        replacement: 'return [this.credential.type];',
      },
      {
        noticed: 'a credential names types without end',
        original: 'demand(others.length <= MOST_TYPES,',
        replacement: 'demand(others.length >= 0,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/type-metadata.ts',
    tests: [acceptedType],
    mutants: [
      {
        noticed: 'metadata are changed after the credential has named their hash',
        original: 'if (integrity !== undefined) checkIntegrity(answer.body, integrity, what);',
        replacement: 'if (integrity === null) checkIntegrity(answer.body, integrity, what);',
      },
      {
        noticed: 'metadata of another type say what this one extends',
        original: "demand(document['vct'] === type,",
        replacement: "demand(document['vct'] !== null,",
      },
      {
        noticed: 'types extend each other in a circle',
        original: 'demand(!seen.has(reference.type),',
        replacement: "demand(reference.type !== '',",
      },
      {
        noticed: 'a credential has any number of documents fetched',
        original: 'demand(read < MOST_DOCUMENTS,',
        replacement: 'demand(read >= 0,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/type-metadata.ts',
    tests: [acceptedType],
    mutants: [
      {
        noticed: 'a weak hash counts beside a strong one',
        original: 'const strongest = integrityAlgorithms.find(',
        replacement: 'const strongest = [...integrityAlgorithms].reverse().find(',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/key-binding.ts',
    tests: [keyBinding],
    mutants: [
      {
        noticed: 'claims are added or left out after the holder has signed',
        original: "payload['sd_hash'] === hash(sdJwt.hashAlgorithm, sdJwt.presented, 'base64url'),",
        replacement: "payload['sd_hash'] !== undefined,",
      },
      {
        noticed: 'another JWT of the holder is taken for a key binding',
        original: "demand(header['typ'] === 'kb+jwt',",
        replacement: "demand(header['typ'] !== null,",
      },
      {
        noticed: 'anyone can present the credential of another person',
        original: 'verifyJws(keyBinding, holderKey, algorithms);',
      },
      {
        noticed: 'a presentation that was signed long ago is taken',
        original: "checkSignedJustNow(times, now, 'the key binding JWT');",
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/transaction-data.ts',
    tests: ['libs/credentials/src/formats/sd-jwt-vc/transaction-data.spec.ts'],
    mutants: [
      {
        noticed: 'a holder confirms what was not asked of this credential',
        original: 'place !== undefined && entry !== undefined,',
        replacement: 'found !== null,',
      },
      {
        noticed: 'one confirmation counts for another payment',
        original: 'demand(place > last,',
        replacement: 'demand(last !== Infinity,',
      },
      {
        noticed: 'the hash is one of another algorithm',
        original: 'algorithm === undefined || algorithm === TRANSACTION_DATA_HASH,',
        replacement: 'algorithm !== null,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/jwt-times.ts',
    tests: [sdJwtVc, jwtVp],
    mutants: [
      {
        noticed: 'nothing ever expires',
        original: 'demand(exp === undefined || exp > seconds - CLOCK_SKEW_SECONDS,',
        replacement: 'demand(exp !== null,',
      },
      {
        noticed: 'a credential is accepted before it is valid',
        original: 'demand(nbf === undefined || nbf <= seconds + CLOCK_SKEW_SECONDS,',
        replacement: 'demand(nbf !== null,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/sd-jwt-vc/sd-jwt.ts',
    tests: ['libs/credentials/src/formats/sd-jwt-vc/sd-jwt.spec.ts'],
    mutants: [
      {
        noticed: 'a holder adds claims that the issuer never signed',
        original: 'demand(this.waiting.size === 0,',
        replacement: 'demand(this.waiting.size >= 0,',
      },
      {
        noticed: 'one disclosed value stands in two places',
        original: 'demand(!this.seenDigests.has(digest),',
        replacement: 'demand(digest !== null,',
      },
      {
        noticed: 'an expiry that the holder may withhold is taken',
        original: 'demand(place.depth > 1 || !isAlwaysVisible(name),',
        replacement: 'demand(place.depth > 0,',
      },
      {
        noticed: 'a disclosed claim takes the place of one that the issuer shows to everybody',
        original: 'demand(!Object.hasOwn(result, name),',
        replacement: 'demand(name !== null,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/jwt-vc-json/verify.ts',
    tests: [jwtVp],
    mutants: [
      {
        noticed: 'anyone can sign W3C credentials in the name of an issuer',
        original: 'for (const { jws, jwk } of signed) verifyJws(jws, jwk, algorithms);',
      },
      {
        noticed: 'a W3C credential of another person is presented',
        original: 'for (const vc of signed) checkHolder(vc, holder);',
      },
      {
        noticed: 'a presentation is signed by a key of another DID',
        original: 'demand(kid.startsWith(`${iss}#`),',
        replacement: 'demand(kid !== null,',
      },
      {
        noticed: 'a W3C presentation made for another verifier is taken',
        original: 'demand(single === clientId,',
        replacement: 'demand(single !== null,',
      },
      {
        noticed: 'the signature of the holder does not matter',
        original: 'verifyJws(presentation, holder.key, algorithms);',
      },
      {
        noticed: 'an expired W3C credential is accepted',
        original: "for (const { times } of signed) checkValidNow(times, now, 'the credential');",
      },
      {
        noticed: 'a W3C presentation that was signed long ago is taken',
        original: "checkSignedJustNow(times, now, 'the presentation');",
      },
    ],
  },
  {
    file: 'libs/credentials/src/status/token-status-list.ts',
    tests: ['libs/credentials/src/status/status-check.spec.ts'],
    mutants: [
      {
        noticed: 'a revoked credential passes by a list about others',
        original: "demand(payload['sub'] === uri,",
        replacement: "demand(payload['sub'] !== null,",
      },
      {
        noticed: 'one issuer revokes, or restores, what another has issued',
        original: 'demand(isFromIssuer,',
        replacement: 'demand(isFromIssuer !== undefined,',
      },
    ],
  },
  {
    file: 'libs/credentials/src/status/status-lists.ts',
    tests: [
      'libs/credentials/src/status/status-check.spec.ts',
      'libs/credentials/src/status/bitstring-status-list.spec.ts',
    ],
    mutants: [
      {
        noticed: 'anyone can say which credentials are revoked',
        original: "token.verify('jwk' in signer ? signer.jwk : signer.key, this.options.algorithms);",
      },
      {
        noticed: 'a status list of last year is accepted',
        original: "checkValidNow(times, now, 'the status list');",
      },
    ],
  },
  {
    file: 'libs/credentials/src/status/bitstring-status-list.ts',
    tests: ['libs/credentials/src/status/bitstring-status-list.spec.ts'],
    mutants: [
      {
        noticed: 'a revoked W3C credential passes by a list about others',
        original: 'demand(id === undefined || id === uri,',
        replacement: 'demand(id !== null,',
      },
      {
        noticed: 'one issuer revokes, or restores, W3C credentials of another',
        original: 'demand(name === undefined || name === issuer,',
        replacement: 'demand(name !== null,',
      },
      {
        noticed: 'a list of suspended credentials says that none is revoked',
        original: 'demand(list.purposes.includes(purpose),',
        replacement: 'demand(purpose.length > 0,',
      },
      {
        noticed: 'the bits of a list are read from the wrong end',
        original: '0x80 >> (idx % 8)',
        replacement: '1 << (idx % 8)',
      },
    ],
  },
  {
    file: 'libs/credentials/src/status/status-check.ts',
    tests: [
      'libs/credentials/src/status/status-check.spec.ts',
      'libs/credentials/src/status/bitstring-status-list.spec.ts',
    ],
    mutants: [
      {
        noticed: 'a status of unknown meaning counts as valid',
        original: 'if (value !== STATUS_VALID) {',
        replacement: 'if (value < STATUS_VALID) {',
      },
      {
        noticed: 'a credential of unknown status is accepted where the settings reject it',
        original: "if (undetermined === 'reject')",
        replacement: "if (undetermined !== 'reject')",
      },
      {
        noticed: 'a revoked credential passes because a second list cannot be fetched',
        original:
          "for (const status of ['revoked', 'suspended'] as const) if (stated.includes(status)) throw refused(status);",
      },
    ],
  },
  {
    file: 'libs/credentials/src/formats/jwt-vc-json/verify.ts',
    tests: [jwtVp],
    mutants: [
      {
        noticed: 'whoever has found a credential without a subject presents it with any key',
        original: 'subject !== undefined && subject === did',
        replacement: 'subject === did',
      },
      {
        noticed: 'the owner of a longer domain presents credentials of a shorter one',
        original: 'kid.startsWith(`${iss}#`)',
        replacement: 'kid.startsWith(iss)',
      },
    ],
  },
  {
    file: 'libs/credentials/src/presentation/siop-id-token.ts',
    tests: ['libs/credentials/src/presentation/siop-id-token.spec.ts'],
    mutants: [
      {
        noticed: 'the owner of a longer domain logs in as one of a shorter one',
        original: 'kid.startsWith(`${sub}#`)',
        replacement: 'kid.startsWith(sub)',
      },
    ],
  },
];
