import type { Statement } from '@app/event-store';
import { PostgresDriver } from '../../libs/event-store/src/database/postgres.driver';
import { askEverything } from '../support/database/every-statement';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { RecordingDriver } from '../support/database/recording-driver';

/** A row is asked for by a name that has the mark of its tenant, or by the column that has it; values are given, not read elsewhere. */
const ofTenant =
  /\b(?:tenant|category|stream_id|kind|purpose)(?: collate "C")? (?:=|in) (?:any ?\()?(?:\$\d|\(?select \$\d|r\.\w)/;

/** Statements that name no tenant, by why that is right. A new one belongs here only with such a reason. */
const others: Readonly<Record<string, readonly string[]>> = {};
const reasoned = new Set(Object.values(others).flat());

function unguarded(statements: Iterable<Statement>): string[] {
  return [...statements].flatMap(({ name, text }) => (ofTenant.test(text) || reasoned.has(name) ? [] : [name])).sort();
}

describe('every statement', () => {
  let database: string;
  let driver: PostgresDriver;
  let statements: ReadonlyMap<string, Statement>;
  beforeAll(async () => {
    database = await sharedPostgres().createDatabase();
    driver = new PostgresDriver(database);
    const recording = new RecordingDriver(driver);
    await askEverything(recording);
    statements = recording.statements;
  }, 60_000);
  afterAll(async () => {
    await driver.close();
    await dropDatabase(database);
  });

  it('asks for rows of one tenant, or says why not', () => {
    expect(unguarded(statements.values())).toEqual([]);
  });

  it('has no reason without a statement', () => {
    const needless = [...reasoned].filter((name) => {
      const text = statements.get(name)?.text;
      return text === undefined || ofTenant.test(text);
    });
    expect(needless).toEqual([]);
  });

  it.each([
    `select state from streams where state->>'status' = $1`,
    'select s.state from streams s join data_keys k on k.stream_id = s.stream_id',
    'update webhook_receivers set paused = true',
  ])('is found when it names none: %s', (text) => {
    expect(unguarded([{ name: 'planted', text, values: [] }])).toEqual(['planted']);
  });
});
