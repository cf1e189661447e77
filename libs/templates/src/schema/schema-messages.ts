import type { ErrorObject } from 'ajv';

/** The message for a member that a schema does not allow. */
export const notInSchema = 'is not in the schema';

const mostValues = 12;
const longestValues = 200;

const examples: Readonly<Record<string, string>> = {
  date: '1990-12-31',
  'date-time': '2027-06-30T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1Y',
  email: 'person@example.com',
  uri: 'https://issuer.example/',
  uuid: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
};

/** What a value has to be, in words that say more than Ajv's where these do not say enough. Never repeats the value. */
export function messageOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return notInSchema;
    case 'format': {
      const example = examples[(params as { readonly format: string }).format];
      return example === undefined ? message : `${message}, such as ${example}`;
    }
    default:
      return message;
  }
}

/** @param values of the schema */
export function allowedText(values: readonly unknown[]): string {
  const text = values.map((value) => JSON.stringify(value)).join(', ');
  if (values.length > mostValues || text.length > longestValues) return 'must be one of the values in the schema';
  return values.length === 1 ? `must be ${text}` : `must be one of ${text}`;
}
