import type { SqlSession } from './sql-driver';

/**
 * Takes a lock that one session at a time can have, over all processes on the database.
 * @returns false, at once, when another session has it
 */
export async function takeLock(session: SqlSession, name: string): Promise<boolean> {
  const [row] = await session.query<{ taken: boolean }>({
    name: 'advisory-lock',
    text: 'select pg_try_advisory_lock(hashtextextended($1::text, 0)) as taken',
    values: [name],
  });
  return row?.taken === true;
}

/** Without it a lock lasts as long as the connection of its session. */
export async function releaseLock(session: SqlSession, name: string): Promise<void> {
  await session.query({
    name: 'advisory-unlock',
    text: 'select pg_advisory_unlock(hashtextextended($1::text, 0))',
    values: [name],
  });
}
