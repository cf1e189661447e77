import type { SqlSession } from '@app/event-store';

/** Takes the lock of whoever sends mails, without waiting. @returns whether no other session has it */
export async function lockMail(session: SqlSession): Promise<boolean> {
  const [row] = await session.query<{ taken: boolean }>({
    name: 'mail-lock',
    text: `select pg_try_advisory_lock(hashtextextended('mail', 0)) as taken`,
    values: [],
  });
  return row?.taken === true;
}

export async function unlockMail(session: SqlSession): Promise<void> {
  await session.query({
    name: 'mail-unlock',
    text: `select pg_advisory_unlock(hashtextextended('mail', 0))`,
    values: [],
  });
}
