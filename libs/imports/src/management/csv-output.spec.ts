import { csvLine } from './csv-output';

describe('A line of CSV', () => {
  it.each(['=1+1', '+1', '-1', '@a', '\ta', '\ra'])(
    'has an apostrophe before %j, which a spreadsheet would calculate',
    (cell) => {
      expect(csvLine([cell], ',').replaceAll('"', '')).toBe(`'${cell}\r\n`);
    },
  );

  it('has quotation marks where they are needed', () => {
    expect(csvLine(['a', 'b;c', 'd"e', 'f\ng', 'h,i'], ';')).toBe('a;"b;c";"d""e";"f\ng";h,i\r\n');
  });
});
