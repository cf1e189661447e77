import { verifyJwtPresentation } from './jwt-vp-verifier';
import { verifySdJwtVc } from './sd-jwt-vc-verifier';
import type { ExpectedPresentation, PresentationPolicy, PresentationResult } from './verified-credential';

/**
 * Verifies one presentation of a credential, of whichever format it is, against one query. A presentation that fails
 * is a result; only faults of this software or of its surroundings throw.
 */
export function verifyPresentation(
  presentation: string,
  expected: ExpectedPresentation,
  policy: PresentationPolicy,
): Promise<PresentationResult> {
  // The tilde occurs in every SD-JWT and in no JWT. The query only decides what is said about one without it.
  const isSdJwt = presentation.includes('~') || expected.query.format.endsWith('+sd-jwt');
  return isSdJwt
    ? verifySdJwtVc(presentation, expected, policy)
    : verifyJwtPresentation(presentation, expected, policy);
}
