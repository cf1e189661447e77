import { type Json, postJson } from '../http/requests';
import { expectProblem } from '../http/refusals';
import type { RunningService } from '../service/service';
import { storedRows } from '../database/stored-rows';

/** One problem and the bodies that cause it. */
export interface RefusedBodies {
  readonly name: string;
  readonly status: number;
  readonly slug: string;
  /** What is changed of a valid body; `pointer` is one of the violations. */
  readonly rows: readonly (readonly [what: string, changes: Json | (() => Json), pointer?: string])[];
}

export interface RefusedBody extends Omit<RefusedBodies, 'rows'> {
  readonly what: string;
  readonly changes: Json | (() => Json);
  readonly pointer: string | undefined;
}

/** For `it.each`. */
export function rowsOf(problems: readonly RefusedBodies[]): RefusedBody[] {
  return problems.flatMap(({ rows, ...problem }) =>
    rows.map(([what, changes, pointer]) => ({ ...problem, what, changes, pointer })),
  );
}

/** Posts the body and expects the named problem as RFC 9457 has it, with nothing stored. */
export async function expectRefused(
  service: RunningService,
  path: string,
  valid: Json,
  { name, status, slug, changes, pointer }: RefusedBody,
): Promise<void> {
  const before = await storedRows(service);
  const body = { ...valid, ...(typeof changes === 'function' ? changes() : changes) };
  const reply = await postJson(`${service.url}${path}`, body);
  expectProblem(reply, status, slug, name);
  expect(reply.json['instance']).toBe(path);
  if (pointer !== undefined) {
    expect((reply.json['violations'] as Json[]).map((one) => one['pointer'])).toContain(pointer);
  }
  expect(await storedRows(service)).toEqual(before);
}
