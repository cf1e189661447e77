import { CsvError, parse } from 'csv-parse/sync';
import { mostColumns, mostTableRows, type Table, tableOf, type TableRow, UnreadableFileError } from './table';

/** Characters of one row. */
const longestRow = 2_000_000;
const separators = [';', ',', '\t'] as const;
const names: Readonly<Record<string, string>> = { ';': 'semicolons', ',': 'commas', '\t': 'tabs' };

interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

/** Reads CSV (RFC 4180), also with semicolons or tabs and any line ends. Every cell is a text. Throws `UnreadableFileError`. */
export function readCsv(bytes: Buffer): Table {
  const { text: whole, encoding } = decoded(bytes);
  // Excel's way to say it.
  const [said = '', separator] = /^sep=(.)(?:\r\n|\r|\n)/.exec(whole) ?? [];
  const text = whole.slice(said.length);
  const delimiter = separator ?? separatorOf(text);
  const readAs = `${encoding}, separated by ${names[delimiter] ?? 'another character'}`;
  return tableOf(recordsOf(text, delimiter, said === '' ? 1 : 2), readAs);
}

/** Those that are not empty. @param first the place of the first row */
function recordsOf(text: string, delimiter: string, first: number): TableRow[] {
  const records: TableRow[] = [];
  let row = first;
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: false,
      max_record_size: longestRow,
      on_record: (cells: string[], { lines }) => {
        if (cells.length > mostColumns + 100) {
          throw new UnreadableFileError(`Line ${lines} has more than ${mostColumns} columns.`);
        }
        // Besides the names of the columns; one more is refused.
        const isKept = records.length < mostTableRows + 2 && cells.some((cell) => cell.trim() !== '');
        if (isKept) records.push({ row, cells });
        row++;
        return null;
      },
    });
    return records;
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    if (!(error instanceof CsvError)) throw error;
    throw new UnreadableFileError(faultText(error));
  }
}

function faultText({ code, lines }: CsvError): string {
  const place = typeof lines === 'number' ? `Line ${lines}` : 'A line';
  switch (code) {
    case 'CSV_MAX_RECORD_SIZE':
      return `${place}: a row is longer than ${longestRow.toLocaleString('en')} characters.`;
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'A quotation mark at the beginning of a cell has no other one at its end.';
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return `${place}: a quotation mark inside of a cell is not doubled.`;
    default:
      return `${place}: is no CSV.`;
  }
}

function decoded(bytes: Buffer): Decoded {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: utf16(bytes.subarray(2)), encoding: 'UTF-16' };
  if (first === 0xfe && second === 0xff)
    throw new UnreadableFileError('Save the file as UTF-8; it is UTF-16, big endian.');
  if (isUtf16(bytes)) return { text: utf16(bytes), encoding: 'UTF-16' };
  try {
    // A mark at the beginning is left out.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' };
  }
}

function utf16(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-16le', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFileError('The file begins like UTF-16 and is not.');
  }
}

/** Of texts in Latin letters every second byte is 0. */
function isUtf16(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 1000);
  let zeros = 0;
  for (let at = 1; at < start.length; at += 2) if (start[at] === 0 && start[at - 1] !== 0) zeros++;
  return start.length >= 4 && zeros > start.length / 4;
}

/** The one that the first line has most of, outside of quotation marks. */
function separatorOf(text: string): string {
  const counts = new Map<string, number>();
  let isQuoted = false;
  for (const character of text.slice(0, longestRow)) {
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if ((character === '\n' || character === '\r') && counts.size > 0) break;
    if ((separators as readonly string[]).includes(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const count = (separator: string) => counts.get(separator) ?? 0;
  return separators.reduce<string>((best, one) => (count(one) > count(best) ? one : best), ';');
}
