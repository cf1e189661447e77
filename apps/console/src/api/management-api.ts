import type { components } from '../../../../examples/portal/management-api';
import { text } from '../texts';

type Answered = components['schemas']['Problem'];

/** RFC 9457, as the management API writes it; the page says some of its own in fewer members. */
export type Problem = Pick<Answered, 'type' | 'title' | 'status'> & Partial<Answered>;

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title);
  }
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The management API of the service that the page comes from. */
export class ManagementApi {
  /** In memory only: gone with the page. */
  private key: string | undefined;
  private readonly keyWanted = new Set<() => void>();

  useKey(key: string): void {
    this.key = key.trim();
  }

  /** Calls back when the service asks for a key, or for another one. */
  onKeyWanted(listener: () => void): () => void {
    this.keyWanted.add(listener);
    return () => this.keyWanted.delete(listener);
  }

  get hasKey(): boolean {
    return this.key !== undefined;
  }

  /** Rejects with a {@link ProblemError}. @param path below `v0/`, with its ids encoded */
  async call(method: Method, path: string, body?: object): Promise<unknown> {
    const answer = await this.answer(method, path, body);
    return answer === '' ? undefined : (JSON.parse(answer) as unknown);
  }

  /** A page that the service makes, to be shown in a window of its own. Rejects as {@link call} does. */
  async page(path: string, body: object): Promise<Blob> {
    return new Blob([await this.answer('POST', path, body, 'text/html')], { type: 'text/html; charset=utf-8' });
  }

  private async answer(method: Method, path: string, body?: object, accept = 'application/json'): Promise<string> {
    const response = await this.send(method, path, body, accept);
    const answer = await response.text();
    if (response.ok) return answer;
    if (response.status === 401) for (const listener of this.keyWanted) listener();
    throw new ProblemError(problemIn(answer, response.status));
  }

  private async send(method: Method, path: string, body: object | undefined, accept: string): Promise<Response> {
    try {
      return await fetch(new URL(`v0/${path}`, document.baseURI), {
        method,
        cache: 'no-store',
        headers: {
          Accept: accept,
          ...(body && { 'Content-Type': 'application/json' }),
          ...(this.key !== undefined && { 'X-API-Key': this.key }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch {
      const detail = method === 'GET' ? text('problems.triesAgain') : text('problems.mayHaveDone');
      throw new ProblemError({ type: 'about:blank', title: text('problems.unreachable'), status: 0, detail });
    }
  }
}

function problemIn(answer: string, status: number): Problem {
  try {
    return JSON.parse(answer) as Problem;
  } catch {
    return { type: 'about:blank', title: text('problems.answered', { status: String(status) }), status };
  }
}
