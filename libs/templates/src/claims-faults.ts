import type { ValidateFunction } from 'ajv';

const mostFaults = 100;

/** One place where claims break a schema. */
export interface ClaimsFault {
  /** JSON Pointer into the claims. */
  readonly path: string;
  /** The member that is missing there, or one too many. */
  readonly member: string | undefined;
  readonly message: string;
}

/** At most a hundred; empty when the claims satisfy the schema. Messages never repeat a claim's value. */
export function faultsOf(validate: ValidateFunction, claims: unknown): ClaimsFault[] {
  if (validate(claims)) return [];
  return (validate.errors ?? []).slice(0, mostFaults).map(({ instancePath, params, message }) => {
    const { missingProperty, additionalProperty, unevaluatedProperty } = params as Partial<Record<string, string>>;
    const member = missingProperty ?? additionalProperty ?? unevaluatedProperty;
    return { path: instancePath, member, message: message ?? 'is not valid' };
  });
}
