/** Each takes some 300 bytes, and a thread that has no memory left would end the whole process. */
const mostErrors = 100_000;

/** Where generated code counts: it knows its compiler as `self`. */
export interface Counting {
  errorsMade: number;
}

/**
 * Makes generated code end a check with too many errors. Ajv collects all of them, of alternatives as well, however many
 * items a list has. With one statement in a line, a line is never part of a text: those have no line breaks.
 */
export function limitErrors(code: string): string {
  const limit = `if (++self.errorsMade > ${mostErrors}) throw new RangeError("too many errors");`;
  return code.replace(/^\s*errors(?:\+\+| = vErrors\.length);$/gm, (line) => `${line}\n${limit}`);
}
