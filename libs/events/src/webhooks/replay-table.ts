import type { CommitPosition, SqlExecutor } from '@app/event-store';

export interface Replay {
  /** The last event that was handed out. */
  readonly at: CommitPosition;
  /** Of the last one to hand out. */
  readonly lastPosition: string;
}

/** The rows of `webhook_replays`: events that are still to be handed out to a webhook again. */
export class ReplayTable {
  constructor(private readonly executor: SqlExecutor) {}

  /** One that is under way begins again when it has gone further. @param after in front of the first event */
  async begin(webhookId: string, after: CommitPosition, lastPosition: string): Promise<void> {
    await this.executor.query({
      name: 'webhook-replay-begin',
      text: `insert into webhook_replays as r (webhook_id, tx, position, last_position)
        values ($1, $2::text::xid8, $3::text::bigint, $4::text::bigint)
        on conflict (webhook_id) do update set tx = excluded.tx, position = excluded.position
          where (excluded.tx, excluded.position) < (r.tx, r.position)`,
      values: [webhookId, after.tx, after.position, lastPosition],
    });
  }

  async find(webhookId: string): Promise<Replay | undefined> {
    const [row] = await this.executor.query<CommitPosition & { lastPosition: string }>({
      name: 'webhook-replay-find',
      text: `select tx::text, position::text, last_position::text as "lastPosition" from webhook_replays where webhook_id = $1`,
      values: [webhookId],
    });
    return row && { at: { tx: row.tx, position: row.position }, lastPosition: row.lastPosition };
  }

  async advance(webhookId: string, { tx, position }: CommitPosition): Promise<void> {
    await this.executor.query({
      name: 'webhook-replay-advance',
      text: 'update webhook_replays set tx = $2::text::xid8, position = $3::text::bigint where webhook_id = $1',
      values: [webhookId, tx, position],
    });
  }

  /** Ends it unless an event was left to it meanwhile. */
  async end(webhookId: string, lastPosition: string): Promise<void> {
    await this.executor.query({
      name: 'webhook-replay-end',
      text: 'delete from webhook_replays where webhook_id = $1 and last_position = $2::text::bigint',
      values: [webhookId, lastPosition],
    });
  }
}
