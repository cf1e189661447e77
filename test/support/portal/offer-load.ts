import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { Client } from 'pg';

/** The answer to one client. */
export interface OfferAnswer {
  readonly offerId: string;
  /** `performance.now()` */
  readonly sentAt: number;
  readonly milliseconds: number;
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  /** Last segment of the problem's type. */
  readonly problem: string | undefined;
  readonly retryAfter: string | undefined;
}

export interface OfferLoad {
  /** All answers so far. */
  readonly answers: readonly OfferAnswer[];
  /** Sends no more and waits for the answers that are outstanding. */
  stop(): Promise<readonly OfferAnswer[]>;
}

/** Clients that create offers, so many each second whether answers come or not. */
export function startOfferLoad(url: string, perSecond: number): OfferLoad {
  const answers: OfferAnswer[] = [];
  const agent = new Agent({ keepAlive: true });
  const clients = new Set<Promise<void>>();
  const begin = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - begin) / 1000) * perSecond; sent++) {
      const client: Promise<void> = createOffer(url, agent).then((each) => {
        answers.push(each);
        clients.delete(client);
      });
      clients.add(client);
    }
  }, 20);
  return {
    answers,
    async stop() {
      clearInterval(timer);
      await Promise.all(clients);
      agent.destroy();
      return answers;
    },
  };
}

function createOffer(url: string, agent: Agent): Promise<OfferAnswer> {
  const offerId = randomUUID();
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, body = '', retryAfter?: string): void => {
      const problem = status < 400 ? undefined : /"type":"[^"]*\/([a-z-]+)"/.exec(body)?.[1];
      resolve({ offerId, sentAt, milliseconds: performance.now() - sentAt, status, problem, retryAfter });
    };
    const headers = { 'Content-Type': 'application/json' };
    const outgoing = request(`${url}/v0/offers`, { method: 'POST', agent, headers, timeout: 40_000 }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => {
        end(response.statusCode ?? 0, body, response.headers['retry-after']);
      });
      response.on('error', () => {
        end(0);
      });
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => {
      end(0);
    });
    outgoing.end(JSON.stringify({ offerId }));
  });
}

/** The answers compared with what is stored. */
export interface Reckoning {
  readonly clients: number;
  readonly created: number;
  readonly refused: number;
  readonly unknown: number;
  /** Got neither 201 nor 503. */
  readonly unanswered: number;
  readonly slowestMilliseconds: number;
  /** Got 201, and nothing is stored. */
  readonly lost: number;
  /** Rejected, but stored. */
  readonly refusedButStored: number;
  /** Unknown outcome, and stored. */
  readonly unknownButStored: number;
}

export async function reckon(answers: readonly OfferAnswer[], database: string): Promise<Reckoning> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    `select substr(stream_id, 7) as id from events where stream_id like 'offer-%' and version = 1`,
  );
  await client.end();
  const stored = new Set(rows.map(({ id }) => id));
  const created = answers.filter(({ status }) => status === 201);
  const unavailable = answers.filter(({ status }) => status === 503);
  const unknown = unavailable.filter(({ problem }) => problem === 'outcome-unknown');
  const refused = unavailable.filter(({ problem }) => problem !== 'outcome-unknown');
  const isStored = ({ offerId }: OfferAnswer): boolean => stored.has(offerId);
  return {
    clients: answers.length,
    created: created.length,
    refused: refused.length,
    unknown: unknown.length,
    unanswered: answers.length - created.length - unavailable.length,
    slowestMilliseconds: Math.round(Math.max(...answers.map(({ milliseconds }) => milliseconds))),
    lost: created.filter((each) => !isStored(each)).length,
    refusedButStored: refused.filter(isStored).length,
    unknownButStored: unknown.filter(isStored).length,
  };
}
