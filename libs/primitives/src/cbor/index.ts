export {
  type CborKey,
  type CborMap,
  CborError,
  type CborValue,
  DATE_TIME,
  decodeCbor,
  encodeCbor,
  ENCODED,
  FULL_DATE,
  Tagged,
} from './cbor';
export {
  COSE_HEADER,
  COSE_SIGN1,
  coseAlgorithmsOf,
  coseKeyOf,
  type CoseSign1,
  isCoseSignedBy,
  jwkOfCoseKey,
  readCoseSign1,
  signCose,
  x5chainOf,
} from './cose';
