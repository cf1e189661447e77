import { escapePointer, meant, stepsOf } from '@app/primitives/json';
import { type DcqlQuery, DcqlQueryError, parseDcqlQuery } from '@app/openid4vc';
import type { Violation } from '@app/primitives/problems';
import { isDeepStrictEqual } from 'node:util';
import type { ClaimSources } from './claim-sources';

/** What one presentation shows to all of these; `undefined` when one asks for nothing, or for something else than the others. */
export function commonPresentation(
  configurations: readonly { readonly presentation?: DcqlQuery }[],
): DcqlQuery | undefined {
  const [first, ...others] = configurations;
  const isCommon = others.every(({ presentation }) => isDeepStrictEqual(presentation, first?.presentation));
  return isCommon ? first?.presentation : undefined;
}

/** Whether a claim is among those that are presented. @param place JSON Pointer */
export function asksFor({ credentials: [asked] }: DcqlQuery, place: string): boolean {
  const steps = stepsOf(place);
  return asked?.claims?.some(({ path }) => isAlong(path, steps)) ?? false;
}

/** What is wrong with the member `presentation` of a template, by itself. */
export function faultsOfPresentation(value: unknown): Violation[] {
  const read = readPresentation(value);
  if ('faults' in read) return read.faults;
  const { credentials, credential_sets: sets } = read;
  const [asked, another] = credentials;
  const fault = (place: string, message: string): Violation => ({ pointer: `/presentation${place}`, message });
  const faults: Violation[] = [];
  if (another) faults.push(fault('/credentials', 'must ask for one credential: two may be of different people'));
  if (sets) faults.push(fault('/credential_sets', 'must be left out: there is one credential to present'));
  if (asked && !asked.claims) {
    faults.push(fault('/credentials/0/claims', 'must list the claims that say who the person is'));
  }
  if (asked?.multiple) faults.push(fault('/credentials/0/multiple', 'must be false or left out'));
  if (asked?.require_cryptographic_holder_binding === false) {
    const message = 'must be true or left out: anybody can show a copy of a credential that is bound to no key';
    faults.push(fault('/credentials/0/require_cryptographic_holder_binding', message));
  }
  return faults;
}

/** Sources of claims that are not among what is presented. Of a query without faults. */
export function faultsOfUnasked(sources: ClaimSources, query: unknown): Violation[] {
  const read = readPresentation(query);
  if ('faults' in read) return [];
  const asked = read.credentials[0]?.claims ?? [];
  const known = asked.map(({ path }) => `presentation:/${path.map((step) => escapePointer(String(step))).join('/')}`);
  return Object.entries(sources).flatMap(([target, source]) => {
    if (asksFor(read, source.slice(source.indexOf('/')))) return [];
    const pointer = `/claims/${escapePointer(target)}`;
    return [
      {
        pointer,
        message: `must come from a claim that presentation asks for: ${source} is none${meant(source, known)}`,
      },
    ];
  });
}

/** Whether the one leads to the other, or into it. */
function isAlong(path: readonly (string | number | null)[], steps: readonly string[]): boolean {
  const length = Math.min(path.length, steps.length);
  return path.slice(0, length).every((step, index) => step === null || String(step) === steps[index]);
}

function readPresentation(value: unknown): DcqlQuery | { readonly faults: Violation[] } {
  try {
    return parseDcqlQuery(value);
  } catch (error) {
    if (!(error instanceof DcqlQueryError)) throw error;
    return {
      faults: error.violations.map(({ pointer, message }) => ({ pointer: `/presentation${pointer}`, message })),
    };
  }
}
