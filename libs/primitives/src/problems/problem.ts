import { catalogue, ProblemSlug } from './catalogue';

/** One fault inside a request body: where (JSON Pointer, RFC 6901) and what. Never holds the offending value. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/** A refusal of the management API, named in the catalogue and rendered as RFC 9457 problem details. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;

  /**
   * @param slug the name in the catalogue
   * @param detail what happened this time and what to do, one sentence; no secret, no claim
   */
  constructor(
    readonly slug: ProblemSlug,
    readonly detail: string,
    readonly violations: readonly Violation[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${slug}: ${detail}`);
    this.name = 'Problem';
    this.status = catalogue[slug].status;
    this.title = catalogue[slug].title;
  }
}

/** As docs/errors.md says. */
const mostNamed = 5;
const longestNamed = 200;

/**
 * The problem of a request that has these faults. Its `detail` names the first five, so that it can be read alone.
 * @param slug `validation-failed` when absent
 * @param about what comes before the faults
 * @param between what stands between a place and its fault
 */
export function validationFailed(
  violations: readonly Violation[],
  slug: ProblemSlug = 'validation-failed',
  about = '',
  between = ': ',
): Problem {
  const named = violations.slice(0, mostNamed).map(({ pointer, message }) => {
    const place = pointer.length > longestNamed ? `${pointer.slice(0, longestNamed)}…` : pointer;
    return `${place}${between}${message}`.replace(/\.$/, '');
  });
  const others = violations.length - named.length;
  const detail = `${about}${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}`;
  return new Problem(slug, detail.endsWith('?') ? detail : `${detail}.`, violations);
}

const mostViolations = 100;
/** Characters of all pointers together; member names may be as long as a body. */
const longestPointers = 65_536;

/** Enough to correct a body; an answer must not be many times as large as its request. */
function firstOf(violations: readonly Violation[]): readonly Violation[] {
  let length = 0;
  const tooMany = violations.findIndex(({ pointer }, index) => {
    length += pointer.length;
    return index >= mostViolations || (index > 0 && length > longestPointers);
  });
  return tooMany === -1 ? violations : violations.slice(0, tooMany);
}

/** RFC 9457. */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly remedy: string;
  readonly instance: string;
  readonly violations?: readonly Violation[];
}

/**
 * The RFC 9457 document of a problem. `type` is the address of the page that explains it, and `remedy` what that page says to
 * do.
 */
export function problemDocument(problem: Problem, publicUrl: string, instance: string): ProblemDocument {
  return {
    type: `${publicUrl}/problems/${problem.slug}`,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    remedy: catalogue[problem.slug].remedy,
    instance,
    ...(problem.violations.length > 0 && { violations: firstOf(problem.violations) }),
  };
}
