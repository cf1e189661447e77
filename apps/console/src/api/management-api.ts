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

/** Milliseconds since somebody did something here for which the page counts as in use. */
const inUse = 60_000;
let lastUse = -Infinity;
for (const event of ['keydown', 'pointerdown'])
  addEventListener(event, () => (lastUse = performance.now()), { capture: true, passive: true });

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Sending {
  readonly body?: object | undefined;
  readonly version?: string | undefined;
  readonly accept?: string;
}

/** The management API of the service that the page comes from. */
export class ManagementApi {
  /** In memory only: gone with the page. */
  private key: string | undefined;
  private readonly keyWanted = new Set<() => void>();
  private readonly proofWanted = new Set<() => void>();

  useKey(key: string): void {
    this.key = key.trim();
  }

  /** Calls back when the service asks for a key, or for another one. */
  onKeyWanted(listener: () => void): () => void {
    this.keyWanted.add(listener);
    return () => this.keyWanted.delete(listener);
  }

  /** Calls back when the person who has signed in is to prove once more who they are. */
  onProofWanted(listener: () => void): () => void {
    this.proofWanted.add(listener);
    return () => this.proofWanted.delete(listener);
  }

  get hasKey(): boolean {
    return this.key !== undefined;
  }

  /** Rejects with a {@link ProblemError}. @param path below `v0/`, with its ids encoded. @param body a file is sent as it is. @param version that the resource must have */
  async call(method: Method, path: string, body?: object, version?: string): Promise<unknown> {
    const response = await this.send(method, path, { body, version });
    const answer = await response.text();
    if (response.ok) return answer === '' ? undefined : (JSON.parse(answer) as unknown);
    return this.refused(response, answer);
  }

  /** What is no JSON. Rejects as `call`. */
  async download(path: string): Promise<Blob> {
    const response = await this.send('GET', path, { accept: '*/*' });
    return response.ok ? response.blob() : this.refused(response, await response.text());
  }

  private refused(response: Response, answer: string): never {
    const problem = problemIn(answer, response.status);
    if (response.status === 401) {
      const isProof = problem.type.endsWith('/insufficient-user-authentication');
      for (const listener of isProof ? this.proofWanted : this.keyWanted) listener();
    }
    throw new ProblemError(problem);
  }

  private async send(method: Method, path: string, { body, version, accept }: Sending): Promise<Response> {
    const isFile = body instanceof Blob;
    try {
      return await fetch(new URL(`v0/${path}`, document.baseURI), {
        method,
        cache: 'no-store',
        // A key stands for itself: the service refuses it together with a session.
        credentials: this.key === undefined ? 'same-origin' : 'omit',
        headers: {
          Accept: accept ?? 'application/json',
          // What the page reads by itself does not keep a session alive.
          'X-Console': method !== 'GET' || performance.now() - lastUse < inUse ? '1' : '0',
          ...(body && { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' }),
          ...(version !== undefined && { 'If-Match': version }),
          ...(this.key !== undefined && { 'X-API-Key': this.key }),
        },
        ...(body && { body: isFile ? body : JSON.stringify(body) }),
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
