import { type ClaimsPath } from '../metadata/configuration-members';
import { type DcqlClaimsQuery } from '../dcql/dcql-claims-query';
import { type PresentationField } from '../formats/credential-format';

/** The field of a presentation definition that asks for a claim. */
export function claimField(
  { path, values }: DcqlClaimsQuery,
  format: { claimPaths(below: string): readonly string[] },
): PresentationField {
  return {
    path: format.claimPaths(jsonPath(path)),
    ...(values === undefined ? {} : { filter: { ...typeOf(values), enum: values } }),
  };
}

function jsonPath(path: ClaimsPath): string {
  return path.map(jsonPathStep).join('');
}

function jsonPathStep(step: string | number | null): string {
  if (step === null) return '[*]';
  if (typeof step === 'number') return `[${step}]`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/u.test(step)) return `.${step}`;
  return `['${step.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
}

function typeOf([value]: readonly (string | number | boolean)[]): { type?: string } {
  if (typeof value === 'number') return { type: 'integer' };
  return value === undefined ? {} : { type: typeof value };
}
