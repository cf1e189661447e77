import { releaseLock, type SqlSession } from '@app/event-store';

/** Takes the locks of webhooks that no other session has, without waiting. @returns those it has got */
export async function takeReceivers(session: SqlSession, webhookIds: readonly string[]): Promise<readonly string[]> {
  const rows = await session.query<{ id: string; taken: boolean }>({
    name: 'webhook-locks',
    text: `select id, pg_try_advisory_lock(hashtextextended('webhook ' || id, 0)) as taken from unnest($1::text[]) as id`,
    values: [webhookIds],
  });
  return rows.filter(({ taken }) => taken).map(({ id }) => id);
}

export function releaseReceiver(session: SqlSession, webhookId: string): Promise<void> {
  return releaseLock(session, `webhook ${webhookId}`);
}
