import { deflateRawSync } from 'node:zlib';
import { readTable } from './read-table';

const text = (csv: string, encoding: BufferEncoding = 'utf8'): Buffer => Buffer.from(csv, encoding);
const cellsOf = async (file: Buffer) => (await readTable(file)).rows.map(({ cells }) => cells);

interface Part {
  readonly name: string;
  readonly content: Buffer;
  readonly declared?: number;
}

/** A ZIP archive. */
function zipOf(parts: readonly Part[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, declared = content.length } of parts) {
    const packed = deflateRawSync(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(crcOf(content), 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(declared, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(crcOf(content), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(declared, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

function crcOf(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** A workbook with one sheet of these rows. */
function workbook(rows: string, more: readonly Part[] = []): Buffer {
  const part = (name: string, xml: string): Part => ({ name, content: Buffer.from(`<?xml version="1.0"?>${xml}`) });
  return zipOf([
    part('[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packages}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>` +
        `<Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    ),
    part(
      'xl/styles.xml',
      `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    ),
    part('xl/worksheets/sheet1.xml', `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`),
    ...more,
  ]);
}

const inline = (place: string, value: string) => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
const header = `<row r="1">${inline('A1', 'Name')}${inline('B1', 'Date')}${inline('C1', 'Sum')}</row>`;

describe('A CSV file', () => {
  it.each([
    ['UTF-8', text('Name;Ort\nJörg;Köln\n')],
    ['UTF-8', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text('Name;Ort\nJörg;Köln\n')])],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), text('Name;Ort\nJörg;Köln\n', 'utf16le')])],
    ['UTF-16', text('Name;Ort\nJörg;Köln\n', 'utf16le')],
    ['Windows-1252', text('Name;Ort\nJörg;Köln\n', 'latin1')],
  ])('is read in %s', async (encoding, file) => {
    const { headers, rows, readAs } = await readTable(file);
    expect([headers, rows]).toEqual([['Name', 'Ort'], [{ row: 2, cells: ['Jörg', 'Köln'] }]]);
    expect(readAs).toBe(`${encoding}, separated by semicolons`);
  });

  it.each([';', ',', '\t'])('is read with cells between %j', async (separator) => {
    const file = text(
      ['Name', 'Text'].join(separator) + '\r\n' + ['"a ""b"""', '"x\ny' + separator + 'z"'].join(separator),
    );
    expect(await cellsOf(file)).toEqual([['a "b"', `x\ny${separator}z`]]);
  });

  it('is read as Excel says it is separated', async () => {
    expect(await readTable(text('sep=|\na|b\n1|2\n'))).toMatchObject({
      headers: ['a', 'b'],
      rows: [{ row: 3, cells: ['1', '2'] }],
    });
  });

  it('keeps leading zeros, and the numbers of rows beside empty ones and mixed line ends', async () => {
    const { rows } = await readTable(text('Number,Name\r\n007,a\n\r\n,\n010,b'));
    expect(rows).toEqual([
      { row: 2, cells: ['007', 'a'] },
      { row: 5, cells: ['010', 'b'] },
    ]);
  });

  it.each([
    ['lines end twice', '\r\r\n'],
    ['every other row is empty', '\n,\n'],
  ])('is read to its end when %s', async (_what, end) => {
    const count = 26_000;
    const { rows } = await readTable(text(Array.from({ length: count + 1 }, (_row, n) => `${n},x${end}`).join('')));
    expect([rows.length, rows.at(-1)?.cells]).toEqual([count, [String(count), 'x']]);
    expect(rows.at(-1)?.row).toBe(2 * count + 1);
  });

  it.each(['=1+1', '+491234', '-5', '@SUM(A1)', '=HYPERLINK("https://x.example";"Erika")', '=cmd|/c calc!A1'])(
    'is no formula with %j, but that text',
    async (cell) => {
      const written = `"${cell.replaceAll('"', '""')}"`;
      expect(await cellsOf(text(`Name,Text\nErika,${written}\n`))).toEqual([['Erika', cell]]);
    },
  );

  it('has columns without names, and none that are empty at the end', async () => {
    expect((await readTable(text('a,,c,,\n1,2,3,,\n'))).headers).toEqual(['a', 'Column 2', 'c']);
  });

  it.each([
    ['The file is empty.', text('')],
    ['no other rows', text('a,b\n')],
    ['has the character U+0000', text('a,b\nx,y\0z\n')],
    ['has more than 32,767 characters', text(`a,b\nx,${'y'.repeat(40_000)}\n`)],
    ['a row is longer than', text(`a,b\nx,${'y'.repeat(10_000_000)}\n`)],
    ['has more than 200 columns', text(`a\n${'x,'.repeat(1_000_000)}\n`)],
    ['has more than 200 columns', text(`a\n${'x,'.repeat(250)}x\n`)],
    ['has more than 50,000 rows', text(`a\n${'x\n'.repeat(50_001)}`)],
    ['has no other one at its end', text('a,b\n"x,y\n')],
    ['is not doubled', text('a,b\nx"y,z\n"q"r,s\n')],
    ['old workbook', Buffer.from('d0cf11e0a1b11ae1aaaa', 'hex')],
    ['UTF-16, big endian', Buffer.from([0xfe, 0xff, 0, 97])],
  ])('is refused in words: %s', async (words, file) => {
    await expect(readTable(file)).rejects.toThrow(words);
  });
});

describe('A workbook', () => {
  it('is read with dates, and with what its formulas had as values', async () => {
    const rows = `${header}<row r="2">${inline('A2', '007')}<c r="B2" s="1"><v>46387</v></c><c r="C2"><f>1+1</f><v>2</v></c></row>`;
    expect(await readTable(workbook(rows))).toMatchObject({
      headers: ['Name', 'Date', 'Sum'],
      rows: [{ row: 2, cells: ['007', '2026-12-31', 2] }],
    });
  });

  it('is read with texts that begin like formulas', async () => {
    const rows = `${header}<row r="2">${inline('A2', '=1+1')}${inline('B2', '@a')}${inline('C2', '-5')}</row>`;
    expect(await cellsOf(workbook(rows))).toEqual([['=1+1', '@a', '-5']]);
  });

  it.each([
    ['as its directory says', undefined],
    ['whatever its directory says', 1000],
  ])('is refused before it is read when it would become far too large, %s', async (_what, declared) => {
    const content = Buffer.alloc(150 * 1024 * 1024, 32);
    const bomb = workbook(header, [{ name: 'xl/bomb.xml', content, ...(declared !== undefined && { declared }) }]);
    expect(bomb.length).toBeLessThan(1024 * 1024);
    await expect(readTable(bomb)).rejects.toThrow('would become far too large');
  });

  it.each([
    ['cut off', workbook(header).subarray(0, 400)],
    ['another archive', zipOf([{ name: 'a.txt', content: Buffer.from('a') }])],
    ['no archive', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(100)])],
  ])('is refused in words when it is %s', async (_what, file) => {
    await expect(readTable(file)).rejects.toThrow('save it as .xlsx or as CSV');
  });
});
