import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { databaseOn } from '../support/database/databases';
import { sharedPostgres } from '../support/database/postgres';
import { sealwrightHere } from '../support/service/command-line';
import { root } from './dockerfile';
import { anchors } from './markdown';

const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
const chapters = anchors(runbook);

describe('the runbook', () => {
  const postgres = sharedPostgres();

  it('refers to chapters that it has', () => {
    const references = [...runbook.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = '']) => anchor);
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((anchor) => !chapters.includes(anchor))).toEqual([]);
  });

  it('says of every alert what it means, what to check and what to do', () => {
    const [, alerts = ''] = /^# When an alert fires\n([^]*?)^# /m.exec(runbook) ?? [];
    const told = alerts.split(/^## /m).slice(1);
    expect(told.length).toBeGreaterThan(25);
    const marks = (text: string): string[] =>
      [...text.matchAll(/^\*\*(Means|Check|Do)\*\*/gm)].map(([, mark = '']) => mark);
    for (const text of told)
      expect([text.split('\n', 1)[0], ...marks(text)]).toEqual([expect.any(String), 'Means', 'Check', 'Do']);
  });

  it('asks the database what it can answer', async () => {
    const database = await databaseOn(postgres);
    if (database.options.type !== 'postgres') throw new Error('PostgreSQL is needed.');
    await database.open();
    const client = new Client({ connectionString: database.options.connectionString });
    await client.connect();
    const blocks = [...runbook.matchAll(/```sql\n([^`]*)```/g)].map(([, sql = '']) => sql);
    expect(blocks.length).toBe(6);
    for (const sql of blocks) await client.query(sql);
    await client.end();
    await database.stop();
  });

  it('names commands that exist', async () => {
    const named = [
      ...runbook.matchAll(
        /sealwright ((?:keys|api-keys|config|certificates) [a-z]+|migrate|grants|doctor|rebuild|checkpoint|verify-\w+)/g,
      ),
    ];
    const commands = [...new Set(named.map(([, command = '']) => command))];
    expect(commands).toEqual(expect.arrayContaining(['doctor', 'migrate', 'keys rotate', 'verify-store']));
    for (const command of commands) {
      const { code, stdout } = await sealwrightHere([...command.split(' '), '--help']);
      expect([command, code, stdout.includes(`Usage: sealwright ${command}`)]).toEqual([command, 0, true]);
    }
  });
});
