import { type ClaimsPath } from '../formats/configuration-members';
import { type DcqlReader, own, quote, sound } from './dcql-reader';
import { type WireObject } from '../wire/wire-object';

export interface DcqlClaimsQuery {
  readonly id?: string;
  readonly path: ClaimsPath;
  readonly values?: readonly (string | number | boolean)[];
}

/** Rules of a claims query beyond those of OpenID4VP 1.0 §6.3. */
export interface ClaimsRules {
  /** What is wrong with a path. */
  faultOfPath(path: ClaimsPath): string | undefined;
  /** The same of a path, as JSON Schema. */
  readonly pathSchema: object;
  /** Members that are true or false. */
  readonly flags: readonly string[];
}

export const MOST_CLAIMS = 50;
export const MOST_CLAIM_SETS = 20;
export const LONGEST_PATH = 16;
export const MOST_VALUES = 100;

/**
 * `claims` and `claim_sets` of one credential query (OpenID4VP 1.0 §6.3 and §6.4.1).
 * @param rules of its format
 */
export function readClaims(
  query: WireObject,
  pointer: string,
  reader: DcqlReader,
  rules?: ClaimsRules,
): { claims?: readonly DcqlClaimsQuery[]; claim_sets?: readonly (readonly string[])[] } {
  const claims = own(query, 'claims');
  const sets = own(query, 'claim_sets');
  if (claims === undefined) {
    if (sets !== undefined) reader.refuse(`${pointer}/claim_sets`, 'must not be present without claims');
    return {};
  }
  const ids = { needed: sets !== undefined, seen: new Set<string>() };
  const read = readEach(claims, `${pointer}/claims`, ids, { reader, rules });
  if (sets === undefined) return { claims: read };
  const most = { lists: MOST_CLAIM_SETS, ids: MOST_CLAIMS };
  return { claims: read, claim_sets: reader.idLists(sets, `${pointer}/claim_sets`, most, ids.seen) ?? [] };
}

interface ClaimIds {
  readonly needed: boolean;
  readonly seen: Set<string>;
}

function readEach(
  value: unknown,
  pointer: string,
  ids: ClaimIds,
  { reader, rules }: { readonly reader: DcqlReader; readonly rules: ClaimsRules | undefined },
): readonly DcqlClaimsQuery[] {
  const { flags: known = [] } = rules ?? {};
  const addressed = new Set<string>();
  const claims = (reader.items(value, pointer, MOST_CLAIMS) ?? []).map((item, index) => {
    const at = `${pointer}/${index}`;
    const claim = reader.object(item, at, ['path'], ['id', 'values', ...known]);
    if (claim === null) return null;
    const id = readId(claim, at, ids, reader);
    const path = readPath(own(claim, 'path'), `${at}/path`, reader);
    const values = own(claim, 'values') === undefined ? undefined : readValues(own(claim, 'values'), at, reader);
    const given = known.filter((name) => own(claim, name) !== undefined);
    const flags = given.map((name) => [name, reader.flag(own(claim, name), `${at}/${name}`)] as const);
    if (path === null) return null;
    const fault = rules?.faultOfPath(path);
    if (fault !== undefined) reader.refuse(`${at}/path`, fault);
    // OpenID4VP 1.0 §6.1: one claim must not be pointed to more than once.
    const address = JSON.stringify(path);
    if (addressed.has(address)) reader.refuse(`${at}/path`, 'addresses a claim that another entry addresses already');
    addressed.add(address);
    return {
      ...(typeof id === 'string' ? { id } : {}),
      path,
      ...(values === undefined ? {} : { values }),
      ...Object.fromEntries(flags),
    };
  });
  return sound(claims);
}

function readId(claim: WireObject, at: string, ids: ClaimIds, reader: DcqlReader): string | null | undefined {
  const value = own(claim, 'id');
  if (value === undefined)
    return ids.needed ? reader.refuse(`${at}/id`, 'is required when claim_sets is given') : undefined;
  const id = reader.id(value, `${at}/id`);
  if (id === null) return null;
  if (ids.seen.has(id)) reader.refuse(`${at}/id`, `'${id}' is the id of another claim too`);
  ids.seen.add(id);
  return id;
}

function readPath(value: unknown, pointer: string, reader: DcqlReader): ClaimsPath | null {
  const steps = reader.items(value, pointer, LONGEST_PATH);
  if (steps === null) return null;
  const path = steps.map<{ step: string | number | null } | null>((step, index) => {
    if (step === null || isIndex(step) || step === '') return { step };
    if (typeof step === 'string') return reader.text(step, `${pointer}/${index}`) === null ? null : { step };
    return reader.refuse(`${pointer}/${index}`, 'must be a name, a non-negative integer or null');
  });
  return path.includes(null) ? null : sound(path).map(({ step }) => step);
}

function readValues(value: unknown, claim: string, reader: DcqlReader): readonly (string | number | boolean)[] {
  const pointer = `${claim}/values`;
  const values = (reader.items(value, pointer, MOST_VALUES) ?? []).map((item, index) => {
    const at = `${pointer}/${index}`;
    if (typeof item === 'boolean') return item;
    if (typeof item === 'number' && Number.isSafeInteger(item)) return item;
    if (typeof item === 'string') return item === '' ? item : reader.text(item, at);
    return reader.refuse(at, `must be a string, an integer or a boolean, not ${quote(item)}`);
  });
  return sound(values);
}

function isIndex(step: unknown): step is number {
  return typeof step === 'number' && Number.isSafeInteger(step) && step >= 0;
}
