import type { FileMutants } from './mutant';

const folder = 'libs/credentials/src/formats/mdoc';
const honest = `${folder}/verify.spec.ts`;
const ofIssuer = `${folder}/forgeries.spec.ts`;
const ofHolder = `${folder}/session-forgeries.spec.ts`;
const statuses = `${folder}/status.spec.ts`;

export const mdocMutants: readonly FileMutants[] = [
  {
    file: `${folder}/verify.ts`,
    tests: [honest, ofIssuer, ofHolder],
    mutants: [
      {
        noticed: 'anyone signs documents under the certificate of an issuer',
        original: "demand(isCoseSignedBy(sign1, signer.jwk, payload, algorithms), 'the signature",
        replacement: "demand(isCoseSignedBy(sign1, signer.jwk, payload, algorithms) !== null, 'the signature",
      },
      {
        noticed: 'the presentation of another session is taken',
        original: "demand(isSigned, 'the holder did not sign",
        replacement: "demand(isSigned !== null, 'the holder did not sign",
      },
      {
        noticed: 'an expired document is accepted',
        original: 'validUntil > seconds - CLOCK_SKEW_SECONDS',
        replacement: 'validUntil > 0',
      },
      {
        noticed: 'a document is accepted that was signed before its signer was certified',
        original: 'from - CLOCK_SKEW_SECONDS <= signed',
        replacement: '0 <= signed',
      },
    ],
  },
  {
    file: `${folder}/device-response.ts`,
    tests: [honest, ofIssuer, ofHolder],
    mutants: [
      {
        noticed: 'a document is relabelled',
        original: "demand(issuerAuth.object.doctype === doctype, 'the document is labelled",
        replacement: "demand(issuerAuth.object.doctype !== '', 'the document is labelled",
      },
      {
        noticed: 'a second document goes along unseen',
        original: 'documents.length === 1',
        replacement: 'documents.length > 0',
      },
      {
        noticed: 'a signature over an earlier session comes with what it is over',
        original: "demand(signature.payload === null, 'deviceSignature",
        replacement: "demand(signature.payload !== undefined, 'deviceSignature",
      },
      {
        noticed: 'a MAC stands beside the signature',
        original: "!auth.has('deviceMac')",
        replacement: "!auth.has('')",
      },
    ],
  },
  {
    file: `${folder}/data-elements.ts`,
    tests: [honest, ofHolder],
    mutants: [
      {
        noticed: 'elements are accepted that nobody signed',
        original: 'timingSafeEqual(digest, expected)',
        replacement: 'digest.length === expected.length',
      },
      {
        noticed: 'an element is replaced by one that the issuer signed for something else',
        original: "demand(!elements.has(identifier), 'an element is disclosed twice');",
      },
      {
        noticed: 'the holder states what only the issuer may',
        original: "demand(isAuthorized, 'the holder states",
        replacement: "demand(isAuthorized !== null, 'the holder states",
      },
      {
        noticed: 'elements can be guessed by their digests',
        original: 'random.length >= LEAST_RANDOM_BYTES',
        replacement: 'random.length > 0',
      },
    ],
  },
  {
    file: `${folder}/session-transcript.ts`,
    tests: [honest, ofHolder],
    mutants: [
      {
        noticed: 'an answer that another verifier could decrypt is taken',
        original: '[origin, nonce, key]',
        replacement: '[origin, nonce, null]',
      },
      {
        noticed: 'an answer that was posted elsewhere is taken',
        original: '[clientId, nonce, key, responseUri]',
        replacement: "[clientId, nonce, key, '']",
      },
    ],
  },
  {
    file: 'libs/credentials/src/issuers/certified-keys.ts',
    tests: [honest, ofIssuer, statuses],
    mutants: [
      {
        noticed: 'a certificate for TLS signs documents',
        original: 'extendedUses?.includes(DOCUMENT_SIGNER) === true',
        replacement: 'extendedUses?.includes(DOCUMENT_SIGNER) !== null',
      },
      {
        noticed: 'certificates of strangers go along',
        original: 'above.length === 1 && isWhole',
        replacement: 'above.length === 1',
      },
      {
        noticed: 'an authority for one type of document vouches for another',
        original:
          "demand(coversTypes(types, [type]), 'the trust anchor of the issuer is not trusted for this type of document');",
      },
      {
        noticed: 'another authority revokes documents, or takes it back',
        original: 'fingerprint === issuerAnchor?.fingerprint',
        replacement: 'fingerprint !== undefined',
      },
    ],
  },
];
