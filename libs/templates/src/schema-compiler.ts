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
};

const dialects = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv } satisfies Record<Dialect, unknown>;

/**
 * What checks claims against a schema, the same wherever it runs. The schema must be safe (`assertSafeSchema`). Throws
 * when it cannot be compiled.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const dialect = dialectOf(schema);
  if (dialect === undefined) throw new Error('$schema names no version of JSON Schema that is understood');
  const ajv = new dialects[dialect](options);
  addFormats(ajv);
  replaceKeywords(ajv);
  return ajv.compile(schema);
}
