import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import type { Page } from './resources';
import { ManagementApi, type Method, type Problem, ProblemError } from './management-api';

export const ApiContext = createContext(new ManagementApi());

export interface Resource<T> {
  /** The last answer; it stays while a newer one fails. */
  readonly value?: T;
  readonly problem?: Problem;
  readonly reload: () => void;
}

/** Milliseconds, after the service could not be reached. */
const untilNextAttempt = 2_000;

/** What a path answers, read again and again while the page is visible. @param every milliseconds; once when absent */
export function useResource<T>(path: string, every?: number): Resource<T> {
  const api = useContext(ApiContext);
  const [found, setFound] = useState<Omit<Resource<T>, 'reload'>>({});
  const [round, setRound] = useState(0);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const read = async (): Promise<void> => {
      const answer = await answerOf<T>(api, path);
      if (isGone) return;
      setFound(({ value }) => (value !== undefined && answer.problem ? { value, ...answer } : answer));
      // What the caller may not read, or what is not there, is not asked for again.
      const isFinal = answer.problem?.status === 403 || answer.problem?.status === 404;
      const pause = every ?? (answer.problem?.status === 0 ? untilNextAttempt : undefined);
      if (pause !== undefined && !isFinal) timer = setTimeout(next, pause, pause);
    };
    const next = (pause: number): void => {
      if (document.hidden) timer = setTimeout(next, pause, pause);
      else void read();
    };
    void read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [api, path, every, round]);

  return {
    ...found,
    reload: useCallback(() => {
      setRound((count) => count + 1);
    }, []),
  };
}

/** All that a list has, read page by page; what was read is there while the rest follows. @param path of a list, with a limit */
export function useAll<T>(path: string): Omit<Resource<readonly T[]>, 'reload'> {
  const api = useContext(ApiContext);
  const [found, setFound] = useState<Omit<Resource<readonly T[]>, 'reload'>>({});
  useEffect(() => {
    let isGone = false;
    const read = async (value: readonly T[], cursor: string): Promise<void> => {
      const answer = await answerOf<Page<T>>(api, path + cursor);
      if (isGone) return;
      const all = [...value, ...(answer.value?.items ?? [])];
      setFound(answer.problem ? { value, problem: answer.problem } : { value: all });
      const next = answer.value?.nextCursor ?? null;
      if (next !== null) await read(all, `&cursor=${encodeURIComponent(next)}`);
    };
    void read([], '');
    return () => {
      isGone = true;
    };
  }, [api, path]);
  return found;
}

/** What the caller may do; nothing until that is known. */
export function useScopes(): readonly string[] {
  return useResource<{ scopes: readonly string[] }>('session').value?.scopes ?? [];
}

async function answerOf<T>(api: ManagementApi, path: string): Promise<Omit<Resource<T>, 'reload'>> {
  try {
    return { value: (await api.call('GET', path)) as T };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

export interface Action {
  readonly isRunning: boolean;
  readonly problem?: Problem;
  /** Several calls as one. Undefined when one failed. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** Undefined when it failed, which `problem` then says. */
  readonly call: (method: Method, path: string, body?: object, version?: string) => Promise<unknown>;
  /** Has the browser keep what a path answers. */
  readonly download: (path: string, name: string) => Promise<void>;
  /** The address, within this browser, of a page that the service makes; undefined when it failed. */
  readonly page: (path: string, body: object) => Promise<string | undefined>;
}

/** Calls that a person starts. What they answer without a body is `null`. */
export function useAction(): Action {
  const api = useContext(ApiContext);
  const [state, setState] = useState<Omit<Action, 'run' | 'call' | 'download' | 'page'>>({ isRunning: false });
  const run = useCallback(async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setState({ isRunning: true });
    try {
      const answer = await work();
      setState({ isRunning: false });
      return answer;
    } catch (error) {
      setState({ isRunning: false, problem: problemOf(error) });
      return undefined;
    }
  }, []);
  const call = useCallback(
    (method: Method, path: string, body?: object, version?: string) =>
      run(async () => (await api.call(method, path, body, version)) ?? null),
    [api, run],
  );
  const download = useCallback(
    async (path: string, name: string) => {
      const file = await run(() => api.download(path));
      if (!file) return;
      const url = URL.createObjectURL(file);
      Object.assign(document.createElement('a'), { href: url, download: name }).click();
      URL.revokeObjectURL(url);
    },
    [api, run],
  );
  const page = useCallback(
    async (path: string, body: object) => {
      const made = await run(() => api.download(path, body));
      return made && URL.createObjectURL(made);
    },
    [api, run],
  );
  return { ...state, run, call, download, page };
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  throw error;
}
