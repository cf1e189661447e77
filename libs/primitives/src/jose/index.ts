export { CERTIFIED_JWS_ALGORITHMS, verifyCertifiedJws } from './certified-jws';
export { decryptJwe, encryptJwe, isOnCurve, type JweAlgorithms, type JweHeader, JweTooLargeError } from './jwe';
export {
  type DecodedJws,
  decodeJws,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  JwsError,
  type JwsErrorReason,
  type JwsLimits,
  isSignedBy,
  type SignJws,
  verifyJws,
} from './jws';
export { canonicalJwk, equalJwks, parsePublicJwk, type PublicJwk, PublicJwkError, thumbprint } from './public-jwk';
export { decodeBase64Url, encodeBase64Url } from './strict-base64url';
