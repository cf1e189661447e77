import { SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { Inject, Injectable } from '@nestjs/common';

/** A list of trusted entities as it was read. */
interface KeptList {
  readonly url: string;
  /** The compact JWS. */
  readonly text: string;
  readonly nextUpdate: Date;
  /** Whether it takes the place of any other; else of one that does not end later. */
  readonly isForced: boolean;
}

/**
 * The last good list of each address, shared by all replicas. A row has no proof of this service: the list carries the signature
 * of its signer, and is read like one from the web.
 */
@Injectable()
export class KeptLists {
  constructor(@Inject(SQL_DRIVER) private readonly driver: SqlExecutor) {}

  async read(url: string): Promise<string | undefined> {
    const [row] = await this.driver.query<{ token: string }>({
      name: 'trust-list-read',
      text: 'select token from trust_lists where url = $1::text',
      values: [url],
    });
    return row?.token;
  }

  async keep({ url, text, nextUpdate, isForced }: KeptList): Promise<void> {
    await this.driver.query({
      name: 'trust-list-keep',
      text: `insert into trust_lists (url, token, next_update) values ($1::text, $2::text, $3::timestamptz)
        on conflict (url) do update set token = excluded.token, next_update = excluded.next_update, read_at = now()
        where $4::boolean or trust_lists.next_update <= excluded.next_update`,
      values: [url, text, nextUpdate, isForced],
    });
  }
}
