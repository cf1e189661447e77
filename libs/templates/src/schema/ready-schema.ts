import { type CompiledSchema, compileSchema } from './schema-compiler';
import { messageOf } from './schema-messages';
import type { JsonSchema } from './schema-safety';

const mostFaults = 100;
/** Errors that a compiled schema may keep of the claims it has checked last. */
const fewErrors = 1000;

/** One place where claims break a schema. */
export interface ClaimsFault {
  /** JSON Pointer into the claims. */
  readonly path: string;
  /** The member that is missing there, or one too many, whose message is `notInSchema`. */
  readonly member: string | undefined;
  readonly message: string;
}

/** A schema that is compiled when it is needed. */
export class ReadySchema {
  private compiled: CompiledSchema | undefined;

  constructor(private readonly schema: JsonSchema) {}

  /** Throws when the schema cannot be compiled. */
  compile(): CompiledSchema {
    this.compiled ??= compileSchema(this.schema);
    return this.compiled;
  }

  /**
   * At most a hundred; empty when the claims satisfy the schema. Messages never repeat a claim's value. Throws when the check
   * leads to too many errors, or too deep.
   */
  faultsIn(claims: unknown): ClaimsFault[] {
    const check = this.compile();
    try {
      if (check(claims)) return [];
      return check.errors.slice(0, mostFaults).map((error) => {
        const { missingProperty, additionalProperty, unevaluatedProperty } = error.params as Partial<
          Record<string, string>
        >;
        const member = missingProperty ?? additionalProperty ?? unevaluatedProperty;
        return { path: error.instancePath, member, message: messageOf(error) };
      });
    } finally {
      if (check.errorsMade > fewErrors) this.compiled = undefined;
    }
  }
}
