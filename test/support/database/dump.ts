import { Client } from 'pg';

/** The encodings in which a text could occur. Base64 encodes the same bytes at three offsets; the middle of each is constant. */
export function encodingsOf(secret: string): Record<string, string> {
  const middle = (shift: number) =>
    Buffer.from(`${'x'.repeat(shift)}${secret}`)
      .toString('base64url')
      .slice(6, -6);
  const plain = { plain: secret, hex: Buffer.from(secret).toString('hex') };
  // The middle of a short text in base64 would be found by chance.
  if (secret.length < 20) return plain;
  const decoded = Buffer.from(secret, 'base64url');
  return {
    ...plain,
    'base64 at 0': middle(0),
    'base64 at 1': middle(1),
    'base64 at 2': middle(2),
    'decoded hex': decoded.toString('hex'),
  };
}

/** Every column of every row of every table as text; bytes as hex and, where they are, as the text they hold. */
export async function dumpOf(connectionString: string): Promise<{ text: string; rows: number }> {
  const client = new Client({ connectionString });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const texts: string[] = [];
  let rows = 0;
  for (const { name } of tables.rows) {
    const result = await client.query<Record<string, unknown>>(`select * from "${name}"`);
    rows += result.rows.length;
    for (const value of result.rows.flatMap((row) => Object.values(row))) {
      if (Buffer.isBuffer(value)) texts.push(value.toString('hex'), value.toString('latin1'));
      else texts.push(typeof value === 'string' ? value : JSON.stringify(value));
    }
  }
  await client.end();
  // Base64 of the standard alphabet counts as well.
  const text = texts.join('\n');
  return { text: `${text}\n${text.replaceAll('+', '-').replaceAll('/', '_')}`, rows };
}
