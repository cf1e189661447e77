export type Kind = 'text' | 'number' | 'boolean' | 'list';

/**
 * How a written value becomes a typed one. What cannot be read is handed on unchanged: the validators of the property
 * then refuse it together with every other fault.
 */
export const reading: Readonly<Record<Kind, (written: unknown) => unknown>> = {
  text: (written) => written,
  number: (written) => (typeof written === 'string' && /^\d{1,15}$/.test(written.trim()) ? Number(written) : written),
  boolean: (written) => {
    if (written !== 'true' && written !== 'false') return written;
    return written === 'true';
  },
  list: (written) => {
    if (typeof written !== 'string') return written;
    return written
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  },
};

/** Names the class of a value without showing the value: a password may be in the wrong place. */
export function classOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  if (typeof value === 'object') return 'a group of settings';
  return `a ${typeof value}`;
}
