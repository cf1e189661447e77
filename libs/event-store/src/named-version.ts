import { NewerVersionError } from './errors';

const mark = /^([2-9]|[1-9]\d{1,2})~/;

/** The version that a text names for its shape: `2~...`. The first one is not named, so that it costs nothing. */
export function versionOf(text: string): number {
  return Number(mark.exec(text)?.[1] ?? 1);
}

export function withVersion(version: number, text: string): string {
  return version === 1 ? text : `${version}~${text}`;
}

export function withoutVersion(text: string): string {
  return text.replace(mark, '');
}

/** Throws `NewerVersionError` for a text of a later version than this release knows. @param what the kind of value */
export function refuseNewer(what: string, text: string, known: number): void {
  if (versionOf(text) > known) throw new NewerVersionError(what);
}
