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

/** What a path answers, read again and again while the page is visible. @param every milliseconds; once when absent */
export function useResource<T>(path: string, every?: number): Resource<T> {
  const api = useContext(ApiContext);
  const [found, setFound] = useState<Omit<Resource<T>, 'reload'>>({});
  const [round, setRound] = useState(0);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const read = async (): Promise<void> => {
      try {
        const value = (await api.call('GET', path)) as T;
        if (!isGone) setFound({ value });
      } catch (error) {
        if (!isGone) setFound(({ value }) => ({ ...(value !== undefined && { value }), problem: problemOf(error) }));
      }
      if (every !== undefined && !isGone) timer = setTimeout(next, every);
    };
    const next = (): void => {
      if (document.hidden) timer = setTimeout(next, every);
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

export interface Action {
  readonly isRunning: boolean;
  readonly problem?: Problem;
  /** Undefined when it failed, which `problem` then says. */
  readonly call: (method: Method, path: string, body?: object) => Promise<unknown>;
}

/** Calls that a person starts. What they answer without a body is `null`. */
export function useAction(): Action {
  const api = useContext(ApiContext);
  const [state, setState] = useState<Omit<Action, 'call'>>({ isRunning: false });
  const call = useCallback(
    async (method: Method, path: string, body?: object) => {
      setState({ isRunning: true });
      try {
        const answer = await api.call(method, path, body);
        setState({ isRunning: false });
        return answer ?? null;
      } catch (error) {
        setState({ isRunning: false, problem: problemOf(error) });
        return undefined;
      }
    },
    [api],
  );
  return { ...state, call };
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  throw error;
}
