/** The versions of JSON Schema that are understood, by the form of the address in `$schema`. */
const addresses = {
  '2020-12': 'https://json-schema\\.org/draft/2020-12/schema#?',
  '2019-09': 'https://json-schema\\.org/draft/2019-09/schema#?',
  'draft-07': 'https?://json-schema\\.org/draft-07/schema#?',
};
export const dialectPattern = `^(${Object.values(addresses).join('|')})$`;

export type Dialect = keyof typeof addresses;
export const dialects = Object.keys(addresses) as Dialect[];

/** What a schema is written in; 2020-12 when it does not say, `undefined` when it names something else. */
export function dialectOf({ $schema }: Readonly<Record<string, unknown>>): Dialect | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  return dialects.find((dialect) => new RegExp(`^${addresses[dialect]}$`).test($schema));
}
