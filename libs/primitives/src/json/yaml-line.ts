import { YAMLError } from 'yaml';

/**
 * Where a text stops being YAML: ` (line 3)`, or nothing where that is not known. The words of the parser are kept out: they
 * quote the text, which may hold a secret.
 */
export function lineOfYamlError(error: unknown): string {
  const line = error instanceof YAMLError ? error.linePos?.[0].line : undefined;
  return line === undefined ? '' : ` (line ${line})`;
}
