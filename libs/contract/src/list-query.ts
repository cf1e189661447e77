import { About, Check, IsOmissible, IsText } from './constraints';

/** One page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

const largestPage = 200;
const usualPage = 50;

/** The query of every list; a class below it adds its filters. */
export class ListQuery {
  @About('How many items a page has.', { type: 'integer', minimum: 1, maximum: largestPage, default: usualPage })
  // `Number` alone also reads `0x10`, `1e2` and ` 50`.
  @Check(
    'isPageLimit',
    `must be a whole number from 1 to ${largestPage}`,
    (value) => typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= largestPage,
  )
  readonly limit: string = String(usualPage);

  @About('The `nextCursor` of the page before.')
  @IsOmissible()
  @IsText(1, 1024)
  readonly cursor?: string;

  get page(): PageQuery {
    return { limit: Number(this.limit), ...(this.cursor !== undefined && { cursor: this.cursor }) };
  }
}
