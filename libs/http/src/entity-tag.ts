import { Problem } from '@app/problem-details';

/** The stream versions that `If-Match` accepts; `undefined` accepts every one. */
export type VersionCondition = readonly number[] | undefined;

/** The entity tag (RFC 9110 §8.8.3) of a resource whose stream is at this version. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * Reads an `If-Match` header (RFC 9110 §13.1.1). Tags that are not ours, weak ones included, match no version.
 * @throws Problem `validation-failed` when it is neither `*` nor a list of entity tags
 */
export function parseIfMatch(header: string | undefined): VersionCondition {
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag))) {
    throw new Problem('validation-failed', 'If-Match must be the ETag of an earlier answer, quotation marks included.');
  }
  return tags.flatMap((tag) => (/^"[1-9]\d{0,8}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));
}

/** @throws Problem `version-conflict` when the condition does not accept the version */
export function assertVersion(condition: VersionCondition, version: number): void {
  if (condition !== undefined && !condition.includes(version)) throw versionConflict();
}

/** Also thrown when somebody else was faster between check and change. */
export function versionConflict(): Problem {
  return new Problem('version-conflict', 'It was changed since you read it. Read it again and decide again.');
}
