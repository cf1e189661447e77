import { Problem } from '@app/primitives/problems';
import { createHash } from 'node:crypto';

/** What a caller demands of the version of a resource (RFC 9110 §13.1); nothing when both are absent. */
export interface Conditions {
  /** `If-Match`: it must be one of these. */
  readonly match?: readonly number[];
  /** `If-None-Match`: it must be none of these. */
  readonly noneMatch?: readonly number[] | '*';
}

/**
 * The entity tag (RFC 9110 §8.8.3) of a resource. Only its version counts for changes.
 * @param version of its stream
 * @param phase what changes the resource without an event, such as `Expired`; letters, digits and hyphens
 */
export function entityTag(version: number, phase?: string): string {
  return phase === undefined ? `"${version}"` : `"${version}-${phase}"`;
}

/** The entity tag of an answer that has no version: a digest of its JSON. */
export function contentTag(content: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`;
}

/**
 * Reads the headers of a request that changes a resource. Tags that are not ours, and weak ones in `If-Match`, match no
 * version.
 * @throws Problem `validation-failed` when one is neither `*` nor a list of entity tags
 */
export function parseConditions(ifMatch: string | undefined, ifNoneMatch: string | undefined): Conditions {
  const match = tagsIn('If-Match', ifMatch);
  const noneMatch = tagsIn('If-None-Match', ifNoneMatch);
  return {
    // A resource that does not exist is not found, whatever the condition.
    ...(match !== undefined && match !== '*' && { match: versionsOf(match) }),
    ...(noneMatch !== undefined && {
      noneMatch: noneMatch === '*' ? noneMatch : versionsOf(noneMatch.map((tag) => tag.replace(/^W\//, ''))),
    }),
  };
}

/** @throws Problem `version-conflict` when the conditions do not hold for the version */
export function assertConditions({ match, noneMatch }: Conditions, version: number): void {
  if (match !== undefined && !match.includes(version)) throw versionConflict();
  if (noneMatch === '*' || noneMatch?.includes(version) === true) {
    throw new Problem('version-conflict', 'The resource has a version that If-None-Match excludes.');
  }
}

/** Also thrown when another request was faster between check and change. */
export function versionConflict(): Problem {
  return new Problem('version-conflict', 'The resource was changed since you read it. Read it again before you retry.');
}

/**
 * Reads the headers of a GET.
 * @returns whether the caller has the representation with a tag already, by the weak comparison of RFC 9110 §13.1.2; it
 *   throws `version-conflict` when `If-Match` does not name the tag
 * @throws Problem `validation-failed` when a header is neither `*` nor a list of entity tags
 */
export function representationConditions(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): (tag: string) => boolean {
  const match = tagsIn('If-Match', ifMatch);
  const noneMatch = tagsIn('If-None-Match', ifNoneMatch);
  return (tag) => {
    if (match !== undefined && match !== '*' && !match.includes(tag)) throw versionConflict();
    return noneMatch === '*' || noneMatch?.some((one) => one.replace(/^W\//, '') === tag) === true;
  };
}

const tag = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const everyTag = new RegExp(tag, 'g');
/** `*` or a list of entity tags. RFC 9110 §5.6.1.2: empty elements of a list are accepted. */
export const tagsPattern = `^([ \\x09]*\\*[ \\x09]*|[ \\x09,]*${tag}([ \\x09]*,[ \\x09,]*${tag})*[ \\x09,]*)$`;
const listOfTags = new RegExp(tagsPattern);

function tagsIn(name: string, header: string | undefined): readonly string[] | '*' | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  // A tag may hold commas.
  if (listOfTags.test(header)) return header.match(everyTag) ?? [];
  throw new Problem(
    'validation-failed',
    `${name} must be * or the ETag of an earlier answer, quotation marks included.`,
  );
}

function versionsOf(tags: readonly string[]): number[] {
  return tags.flatMap((tag) => /^"([1-9]\d{0,8})(-[\w-]+)?"$/.exec(tag)?.[1] ?? []).map(Number);
}
