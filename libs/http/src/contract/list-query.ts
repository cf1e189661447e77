import { Check, Optional, Required, Shown, Text } from './constraints';

/** One page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

const most = 200;

// `Number` alone also reads `0x10`, `1e2` and ` 50`.
function isLimit(value: unknown): boolean {
  return typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= most;
}

/** The query of every list; a class below it adds its filters. */
export class ListQuery {
  @Required(
    'The number of items on a page.',
    Check('isLimit', `must be a whole number from 1 to ${most}`, isLimit),
    Shown({ type: 'integer', minimum: 1, maximum: most, default: 50 }),
  )
  readonly limit: string = '50';
  @Optional('The `nextCursor` of the previous page.', Text(1, 1024))
  readonly cursor?: string;

  get page(): PageQuery {
    return { limit: Number(this.limit), ...(this.cursor !== undefined && { cursor: this.cursor }) };
  }
}
