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
  const violations = (problem.violations ?? []).filter(({ pointer }) => !isShownElsewhere(pointer));
  return (
    <div class="problem" role="alert">
      <strong>{problem.title}</strong>
      {problem.detail !== undefined && <p>{problem.detail}</p>}
      {violations.length > 0 && (
        <ul>
          {violations.map(({ pointer, message }) => (
            <li key={pointer}>
              {pointer !== '' && <code>{pointer}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {problem.remedy !== undefined && problem.remedy !== problem.detail && <p>{problem.remedy}</p>}
    </div>
  );
}
