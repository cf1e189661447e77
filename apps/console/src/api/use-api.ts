import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
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
  /** Undefined when it failed, which `problem` then says. */
  readonly call: (method: Method, path: string, body?: object, version?: string) => Promise<unknown>;
  /** Has the browser keep what a path answers. */
  readonly download: (path: string, name: string) => Promise<void>;
}

/** Calls that a person starts. What they answer without a body is `null`. */
export function useAction(): Action {
  const api = useContext(ApiContext);
  const [state, setState] = useState<Omit<Action, 'call' | 'download'>>({ isRunning: false });
  const call = useCallback(
    async (method: Method, path: string, body?: object, version?: string) => {
      setState({ isRunning: true });
      try {
        const answer = await api.call(method, path, body, version);
        setState({ isRunning: false });
        return answer ?? null;
      } catch (error) {
        setState({ isRunning: false, problem: problemOf(error) });
        return undefined;
      }
    },
    [api],
  );
  const download = useCallback(
    async (path: string, name: string) => {
      setState({ isRunning: true });
      try {
        const url = URL.createObjectURL(await api.download(path));
        Object.assign(document.createElement('a'), { href: url, download: name }).click();
        URL.revokeObjectURL(url);
        setState({ isRunning: false });
      } catch (error) {
        setState({ isRunning: false, problem: problemOf(error) });
      }
    },
    [api],
  );
  return { ...state, call, download };
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  throw error;
}
