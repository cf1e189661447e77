import type { Settings } from '@app/config';
import type { DcqlQuery } from '@app/openid4vc';
import { meant } from '@app/primitives/json';
import { Problem, validationFailed, type Violation } from '@app/primitives/problems';
import { overAsked } from './registered-credential';
import type { RegistrationCertificate } from './registration-certificate';

type Overasking = Settings['registration']['overasking'];

/** A certificate that can be sent, under the name of its intended use. */
export interface UsableCertificate {
  readonly intendedUseId: string;
  readonly certificate: RegistrationCertificate;
}

/** What goes to wallets with a request, and what its maker has to know. */
export interface ChosenRegistration {
  readonly certificate?: RegistrationCertificate;
  readonly warnings: readonly string[];
}

/**
 * The certificate for a query: the named one, or else the only one that covers it.
 * @param usable one for each intended use. Throws `request-not-registered`, unless the rule lets it pass
 */
export function chooseRegistration(
  query: DcqlQuery,
  usable: readonly UsableCertificate[],
  named: string | undefined,
  rule: Overasking,
): ChosenRegistration {
  const asked = usable.filter(({ intendedUseId }) => named === undefined || intendedUseId === named);
  if (named !== undefined && asked.length === 0) throw unknownUse(named, usable);
  const [first, ...others] = asked;
  if (first === undefined) return { warnings: [] };
  const only = others.length === 0 ? { certificate: first.certificate } : {};
  if (rule === 'off') return { ...only, warnings: [] };
  const judged = asked.map((one) => ({ ...one, faults: overAsked(query, one.certificate.credentials) }));
  const covering = judged.filter(({ faults }) => faults.length === 0);
  if (covering[0] && covering.length === 1) return { certificate: covering[0].certificate, warnings: [] };
  const violations = covering.length > 1 ? ambiguous(covering) : leastOf(judged.map(({ faults }) => faults));
  if (rule === 'refuse') throw notRegistered(violations);
  return { ...only, warnings: violations.map(({ pointer, message }) => `${pointer.slice(1)}: ${message}`) };
}

function unknownUse(named: string, usable: readonly UsableCertificate[]): Problem {
  const known = usable.map(({ intendedUseId }) => intendedUseId);
  const message = `must be the intended use of a registration certificate that is valid here${meant(named, known)}`;
  return notRegistered([{ pointer: '/intendedUseId', message }]);
}

function ambiguous(covering: readonly UsableCertificate[]): readonly Violation[] {
  const uses = covering.map(({ intendedUseId }) => intendedUseId).join(', ');
  return [{ pointer: '/intendedUseId', message: `must be given: the query is registered for several, ${uses}` }];
}

/** Of the certificate that comes closest. */
function leastOf(faults: readonly (readonly Violation[])[]): readonly Violation[] {
  const [least = []] = [...faults].sort((one, other) => one.length - other.length);
  return least.map(({ pointer, message }) => ({ pointer: `/dcql_query${pointer}`, message }));
}

function notRegistered(violations: readonly Violation[]): Problem {
  return validationFailed(violations, 'request-not-registered');
}
