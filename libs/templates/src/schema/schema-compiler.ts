import Ajv, { type ErrorObject, type Options } from 'ajv';
import Ajv2019 from 'ajv/dist/2019';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type Dialect, dialectOf } from './schema-dialect';
import { messageOf } from './schema-messages';
import { replaceKeywords } from './schema-keywords';

/** Each takes some 300 bytes, and a thread that has no memory left would end the whole process. */
const mostErrors = 100_000;

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
  code: { lines: true, process: limitErrors },
};

type Schema = Readonly<Record<string, unknown>>;

const compilers = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv } satisfies Record<Dialect, unknown>;

/** Whether claims satisfy the schema. Throws when that leads to too many errors. */
export interface CompiledSchema {
  (claims: unknown): boolean;
  /** Of the last claims. */
  errors: readonly ErrorObject[];
  /** How many there have been on the way, also in branches that did not matter; Ajv keeps them until the next check. */
  errorsMade: number;
}

/**
 * What checks claims against a schema, the same in every thread. The schema must be safe (`assertSafeSchema`) and well
 * formed. Throws when it cannot be compiled.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  // Schemas with the same `$id` must not meet.
  const ajv = newCompiler(knownDialect(schema));
  const validate = ajv.compile(schema);
  const compiled: CompiledSchema = Object.assign(
    (claims: unknown): boolean => {
      ajv.errorsMade = 0;
      try {
        return validate(claims);
      } finally {
        compiled.errors = validate.errors ?? [];
        compiled.errorsMade = ajv.errorsMade;
      }
    },
    { errors: [], errorsMade: 0 },
  );
  return compiled;
}

const wellFormed = new Map<Dialect, Ajv>();

/** What is wrong with a schema itself. */
export interface SchemaFault {
  /** JSON Pointer into the schema. */
  readonly path: string;
  readonly message: string;
}

const mostFaults = 100;

/** A schema with values that JSON Schema does not allow. */
export class MalformedSchemaError extends Error {
  constructor(readonly faults: readonly SchemaFault[]) {
    super('is not a JSON Schema');
  }
}

/** @throws MalformedSchemaError */
export function assertWellFormed(schema: Schema): void {
  const ajv = emptyCompiler(knownDialect(schema));
  // Nothing of the schema stays behind, unlike after its compilation.
  if (ajv.validateSchema(schema) === true) return;
  // The first error of a place says the most; the others are of the alternatives that the place has.
  const faults = new Map<string, SchemaFault>();
  for (const error of ajv.errors ?? []) {
    const path = error.instancePath;
    if (!faults.has(path) && faults.size < mostFaults) faults.set(path, { path, message: messageOf(error) });
  }
  throw new MalformedSchemaError([...faults.values()]);
}

/** The keywords and formats that mean something in a dialect. */
export function vocabularyOf(dialect: Dialect): {
  readonly keywords: readonly string[];
  readonly formats: readonly string[];
} {
  const { RULES, formats } = emptyCompiler(dialect);
  return { keywords: Object.keys(RULES.keywords), formats: Object.keys(formats) };
}

/** One that keeps no schema. */
function emptyCompiler(dialect: Dialect): Ajv {
  const ajv = wellFormed.get(dialect) ?? newCompiler(dialect);
  wellFormed.set(dialect, ajv);
  return ajv;
}

function knownDialect(schema: Schema): Dialect {
  const dialect = dialectOf(schema);
  if (dialect === undefined) throw new Error('$schema names no supported version of JSON Schema');
  return dialect;
}

function newCompiler(dialect: Dialect): Ajv & Counting {
  const ajv = new compilers[dialect](options);
  addFormats(ajv);
  replaceKeywords(ajv);
  return Object.assign(ajv, { errorsMade: 0 });
}

/** Where generated code counts: it knows its compiler as `self`. */
interface Counting {
  errorsMade: number;
}

/**
 * Makes generated code end a check with too many errors. Ajv collects all of them, of alternatives as well, however many
 * items a list has. With one statement in a line, a line is never part of a text: those have no line breaks.
 */
function limitErrors(code: string): string {
  const limit = `if (++self.errorsMade > ${mostErrors}) throw new RangeError("too many errors");`;
  return code.replace(/^\s*errors(?:\+\+| = vErrors\.length);$/gm, (line) => `${line}\n${limit}`);
}
