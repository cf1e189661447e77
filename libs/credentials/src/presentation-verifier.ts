import type { ExpectedPresentation } from './presentation/expected-presentation';
import { credentialFormat, formats } from './formats/registry';
import type { PresentationPolicy, PresentationResult } from './presentation/verified-credential';

/**
 * Verifies one presentation of a credential, of whichever format it is, against one query. A presentation that fails
 * is a result; only faults of this software or of its surroundings throw.
 */
export function verifyPresentation(
  presentation: string,
  expected: ExpectedPresentation,
  policy: PresentationPolicy,
): Promise<PresentationResult> {
  // Without the mark of a format, the query decides which checks are reported.
  const format = formats.find((one) => one.isMarked(presentation)) ?? credentialFormat(expected.query.format);
  return format.verify(presentation, expected, policy);
}
