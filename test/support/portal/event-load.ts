import { answered, postJson } from '../http/requests';
import { publishedTemplate } from './portal';

/** Templates that are archived and published again and again: each change is an event that is sent to webhooks. */
export interface EventLoad {
  /** The types of events that were stored, by subject, in order. */
  readonly stored: ReadonlyMap<string, readonly string[]>;
  /** @param count how many further events @param lanes requests at a time */
  produce(count: number, lanes: number): Promise<void>;
}

/** @param url of a service that answers all the time */
export async function startEventLoad(url: string, subjects: number): Promise<EventLoad> {
  const stored = new Map<string, string[]>();
  const ids = await Promise.all(Array.from({ length: subjects }, () => publishedTemplate(url)));
  for (const id of ids) stored.set(`templates/${id}`, ['template.published']);
  const change = async (id: string): Promise<void> => {
    const types = stored.get(`templates/${id}`) ?? [];
    const isPublished = types.at(-1) === 'template.published';
    answered(200, await postJson(`${url}/v0/templates/${id}/${isPublished ? 'archive' : 'publish'}`, ''));
    types.push(isPublished ? 'template.archived' : 'template.published');
  };
  return {
    stored,
    async produce(count, lanes) {
      const shares = Array.from({ length: lanes }, (_, lane) => ids.filter((_id, place) => place % lanes === lane));
      await Promise.all(
        shares.map(async (own) => {
          for (let made = 0; made < count / lanes; made++) await change(own[made % own.length] ?? '');
        }),
      );
    },
  };
}
