import type { SqlDriver, SqlExecutor, Statement } from '@app/event-store';

/** Remembers the statements that go through it, the first of each name. */
export class RecordingDriver implements SqlDriver {
  readonly kind = 'postgres';
  readonly statements = new Map<string, Statement>();
  /** What else happens in the database right after the first statement of a name. */
  readonly meanwhile = new Map<string, () => Promise<void>>();

  constructor(private readonly driver: SqlDriver) {}

  query<T>(statement: Statement): Promise<T[]> {
    return this.recorded(this.driver).query(statement);
  }

  transaction: SqlDriver['transaction'] = (work) =>
    this.driver.transaction((tx) => work({ ...this.recorded(tx), script: (text) => tx.script(text) }));

  session: SqlDriver['session'] = async () => {
    const session = await this.driver.session();
    return { ...this.recorded(session), isAlive: () => session.isAlive(), close: () => session.close() };
  };

  close(): Promise<void> {
    return this.driver.close();
  }

  private recorded(executor: SqlExecutor): SqlExecutor {
    return {
      query: async <T>(statement: Statement) => {
        if (this.statements.has(statement.name)) return executor.query<T>(statement);
        this.statements.set(statement.name, statement);
        const rows = await executor.query<T>(statement);
        await this.meanwhile.get(statement.name)?.();
        return rows;
      },
    };
  }
}
