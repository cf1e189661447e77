import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import type { Json } from '../http/requests';
import type { RunningService } from './service';

/** Stores the content of a template as another version of the service would. */
export async function rewrite({ app }: Pick<RunningService, 'app'>, templateId: string, content: Json): Promise<void> {
  await app.get<SqlDriver>(SQL_DRIVER).query({
    name: 'rewrite-template',
    text: `update streams set updated_at = now(), state = state || jsonb_build_object('contentVersion', 2, 'content', (state->'content') || $2::text::jsonb)
      where stream_id = $1`,
    values: [`template-${templateId}`, JSON.stringify(content)],
  });
}
