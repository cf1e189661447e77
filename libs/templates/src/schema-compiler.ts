import Ajv, { type Options, type ValidateFunction } from 'ajv';
import Ajv2019 from 'ajv/dist/2019';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type Dialect, dialectOf } from './schema-dialect';
import { replaceKeywords } from './schema-keywords';

const options: Options = {
  allErrors: true,
  strict: false,
  validateFormats: true,
  logger: false,
  // Inlined, a definition is compiled once for every reference to it.
  inlineRefs: false,
  // A claim may be called `constructor`; what every object inherits under that name is no claim.
  ownProperties: true,
  // `assertWellFormed` does so once: the schema of schemas takes longer to compile than any other.
  validateSchema: false,
};

type Schema = Readonly<Record<string, unknown>>;

const dialects = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv } satisfies Record<Dialect, unknown>;

/**
 * What checks claims against a schema, the same in every thread. The schema must be safe (`assertSafeSchema`) and well
 * formed. Throws when it cannot be compiled.
 */
export function compileSchema(schema: Schema): ValidateFunction {
  // Schemas with the same `$id` must not meet.
  return newCompiler(knownDialect(schema)).compile(schema);
}

const wellFormed = new Map<Dialect, Ajv>();

/** Throws when a keyword of the schema has a value that JSON Schema does not allow. */
export function assertWellFormed(schema: Schema): void {
  const dialect = knownDialect(schema);
  const ajv = wellFormed.get(dialect) ?? newCompiler(dialect);
  wellFormed.set(dialect, ajv);
  // Nothing of the schema stays behind, unlike after its compilation.
  void ajv.validateSchema(schema, true);
}

function knownDialect(schema: Schema): Dialect {
  const dialect = dialectOf(schema);
  if (dialect === undefined) throw new Error('$schema names no version of JSON Schema that is understood');
  return dialect;
}

function newCompiler(dialect: Dialect): Ajv {
  const ajv = new dialects[dialect](options);
  addFormats(ajv);
  replaceKeywords(ajv);
  return ajv;
}
