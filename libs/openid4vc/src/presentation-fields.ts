import { type ClaimsPath, type CredentialFormat } from './credential-configuration';
import { type DcqlClaimsQuery } from './dcql-claims-query';
import { type DcqlCredentialQuery, type DcqlJwtVcQuery } from './dcql-credential-query';

export interface PresentationField {
  /** JSONPath alternatives; the first that finds something counts. */
  readonly path: readonly string[];
  /** JSON Schema. */
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** The field that asks for the type of the credential. */
export function typeField(query: DcqlCredentialQuery): PresentationField {
  if (query.format === 'jwt_vc_json') return { path: ['$.vc.type', '$.type'], filter: typesFilter(query) };
  const [first, ...others] = query.meta.vct_values;
  const filter = others.length === 0 ? { const: first } : { enum: query.meta.vct_values };
  return { path: ['$.vct'], filter: { type: 'string', ...filter } };
}

/** The field that asks for a claim; `$.vc` is where it stands in a JWT, `$` in the credential alone. */
export function claimField({ path, values }: DcqlClaimsQuery, format: CredentialFormat): PresentationField {
  const below = jsonPath(path);
  return {
    path: format === 'jwt_vc_json' ? [`$.vc${below}`, `$${below}`] : [`$${below}`],
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

const BASE_TYPE = 'VerifiableCredential';
const EXPANDED_BASE_TYPE = 'https://www.w3.org/2018/credentials#VerifiableCredential';

/** The simplest schema that says it: wallets are known that understand a single `contains` and nothing above it. */
function typesFilter({ meta }: DcqlJwtVcQuery): Record<string, unknown> {
  const alternatives = meta.type_values.map(tellingTypes);
  const [first = [BASE_TYPE], ...others] = alternatives;
  if (others.length === 0) return { type: 'array', ...containsAll(first) };
  if (alternatives.every(({ length }) => length === 1)) {
    return { type: 'array', contains: { enum: [...new Set(alternatives.flat())] } };
  }
  return { type: 'array', anyOf: alternatives.map(containsAll) };
}

/** Every credential has the base type, so it tells something only where it stands alone. */
function tellingTypes(types: readonly string[]): readonly string[] {
  const telling = [...new Set(types)].filter((type) => type !== BASE_TYPE && type !== EXPANDED_BASE_TYPE);
  return telling.length === 0 ? [BASE_TYPE] : telling;
}

function containsAll(types: readonly string[]): Record<string, unknown> {
  const contains = types.map((type) => ({ contains: { const: type } }));
  const [only, ...others] = contains;
  return only !== undefined && others.length === 0 ? only : { allOf: contains };
}
