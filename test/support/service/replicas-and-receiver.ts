import { setTimeout as delay } from 'node:timers/promises';
import { firstArrivals, type ReceivedMessage, startWebhookReceiver } from '../counterparts/webhook-receiver';
import { sharedPostgres } from '../database/postgres';
import { answered, postJson } from '../http/requests';
import { startEventLoad } from '../portal/event-load';
import { startServiceProcess } from './service-process';

export interface KillingRun {
  readonly events: number;
  readonly subjects: number;
  /** How many messages have come when a replica is killed: the first one, the second one, the first one again. */
  readonly killAt: readonly number[];
  /** Whether another one is started in its place. */
  readonly startsAgain: boolean;
}

export interface KillingOutcome {
  /** Types by subject, in the order in which they were stored. */
  readonly stored: ReadonlyMap<string, readonly string[]>;
  /** Types by subject, in the order in which they came first. */
  readonly received: ReadonlyMap<string, readonly string[]>;
  /** How many messages came, repetitions included. */
  readonly messages: number;
  /** Ids whose repetitions were not the same message. */
  readonly altered: readonly string[];
}

const settings = { SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1' };

/** Three replicas deliver to one receiver while two of them are killed in turn; the third takes the changes of the portal. */
export async function deliverWhileKilling({
  events,
  subjects,
  killAt,
  startsAgain,
}: KillingRun): Promise<KillingOutcome> {
  const database = await sharedPostgres().createDatabase();
  const receiver = await startWebhookReceiver();
  receiver.answerBy((_message, response) => {
    setTimeout(() => response.writeHead(204).end(), 3);
  });
  const first = await startServiceProcess(database, undefined, settings);
  const publicUrl = first.url;
  const replicas = [
    first,
    ...(await Promise.all([1, 2].map(() => startServiceProcess(database, publicUrl, settings)))),
  ];
  const last = replicas[2] ?? first;
  try {
    answered(201, await postJson(`${last.url}/v0/webhooks`, { url: receiver.url }));
    const load = await startEventLoad(last.url, subjects);
    const producing = load.produce(events - subjects, 4);
    for (const [kill, count] of killAt.entries()) {
      await until(() => receiver.messages.length >= count, receiver.messages);
      const place = kill % 2;
      replicas[place]?.signal('SIGKILL');
      await replicas[place]?.ended;
      if (startsAgain) replicas[place] = await startServiceProcess(database, publicUrl, settings);
    }
    await producing;
    await until(() => idsIn(receiver.messages).size >= events, receiver.messages);
    const types = new Map(receiver.messages.map(({ id, event }) => [id, String(event['type'])]));
    const arrivals = [...firstArrivals(receiver.messages)];
    return {
      stored: load.stored,
      received: new Map(arrivals.map(([subject, ids]) => [subject, ids.map((id) => types.get(id) ?? '')])),
      messages: receiver.messages.length,
      altered: alteredIn(receiver.messages),
    };
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await receiver.stop();
  }
}

async function until(condition: () => boolean, messages: readonly ReceivedMessage[]): Promise<void> {
  let [seen, since] = [0, Date.now()];
  while (!condition()) {
    if (messages.length > seen) [seen, since] = [messages.length, Date.now()];
    if (Date.now() - since > 60_000) throw new Error(`Nothing more came after ${idsIn(messages).size} events.`);
    await delay(20);
  }
}

function idsIn(messages: readonly ReceivedMessage[]): Set<string> {
  return new Set(messages.map(({ id }) => id));
}

function alteredIn(messages: readonly ReceivedMessage[]): string[] {
  const texts = new Map<string, string>();
  return messages.flatMap(({ id, text }) => {
    const known = texts.get(id);
    texts.set(id, known ?? text);
    return known === undefined || known === text ? [] : [id];
  });
}
