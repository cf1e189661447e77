import type { VNode } from 'preact';
import type { Problem } from '../api/management-api';

interface ProblemNoticeProps {
  readonly problem: Problem | undefined;
  /** Pointers of violations that are shown elsewhere, beside their controls. */
  readonly isShownElsewhere?: (pointer: string) => boolean;
}

/** What the service rejected, in its own words. */
export function ProblemNotice({ problem, isShownElsewhere = () => false }: ProblemNoticeProps): VNode | null {
  if (!problem) return null;
  const { violations: all = [], detail, remedy } = problem;
  const violations = all.filter(({ pointer }) => !isShownElsewhere(pointer));
  // The detail says again what stands beside the controls.
  const hasOwn = all.length === 0 || violations.length > 0;
  return (
    <div class="problem" role="alert">
      <strong>{problem.title}</strong>
      {hasOwn && detail !== undefined && <p>{detail}</p>}
      {violations.length > 0 && (
        <ul>
          {violations.map(({ pointer, message }) => (
            <li key={pointer}>
              {pointer !== '' && <code>{pointer}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {remedy !== undefined && remedy !== detail && <p>{remedy}</p>}
    </div>
  );
}
