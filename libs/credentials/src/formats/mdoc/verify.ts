import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';
import { type CheckName, Refusal, runChecks } from '../../presentation-check';

const CHECKS: readonly CheckName[] = ['structure'];

/** Verifies a DeviceResponse with one document. */
export function verifyMdoc(
  _text: string,
  _expected: ExpectedPresentation,
  _policy: PresentationPolicy,
): Promise<PresentationResult> {
  return runChecks(CHECKS, (run) =>
    run('structure', () => {
      throw new Refusal('an mdoc is not verified yet');
    }),
  );
}
