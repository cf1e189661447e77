import { useCallback, useEffect, useState } from 'preact/hooks';
import type { components } from '../../../../examples/portal/management-api';
import type { ManagementApi } from './management-api';

export type Session = components['schemas']['ConsoleSession'];

/** Milliseconds between two looks at the session. */
const every = 30_000;

export interface SessionState {
  /** Who calls; undefined until that is known. */
  readonly session: Session | undefined;
  /** Milliseconds until the session ends unless its person does something; undefined where there is none. */
  readonly left: number | undefined;
  readonly look: () => void;
  readonly extend: () => void;
  readonly signOut: (everywhere: boolean) => void;
}

/** Who has signed in, looked at again and again. */
export function useSession(api: ManagementApi): SessionState {
  const [known, setKnown] = useState<{ readonly session: Session; readonly endsIn: number | undefined }>();
  const [now, setNow] = useState(() => performance.now());

  const take = useCallback((answer: unknown) => {
    const session = answer as Session;
    const { endsAt, now: at } = session;
    const left = endsAt !== undefined && at !== undefined ? Date.parse(endsAt) - Date.parse(at) : undefined;
    setKnown({ session, endsIn: left === undefined ? undefined : performance.now() + left });
    setNow(performance.now());
  }, []);
  const look = useCallback(() => {
    // Without an answer, the page that is shown says what is wrong.
    api.call('GET', 'session').then(take, () => undefined);
  }, [api, take]);

  useEffect(look, [look]);
  const hasEnd = known?.endsIn !== undefined;
  useEffect(() => {
    if (!hasEnd) return undefined;
    const looks = setInterval(look, every);
    const ticks = setInterval(() => {
      setNow(performance.now());
    }, 5_000);
    return () => {
      clearInterval(looks);
      clearInterval(ticks);
    };
  }, [hasEnd, look]);

  return {
    session: known?.session,
    left: known?.endsIn === undefined ? undefined : known.endsIn - now,
    look,
    extend: useCallback(() => {
      api.call('POST', 'session/extend').then(take, () => undefined);
    }, [api, take]),
    signOut: useCallback(
      (everywhere: boolean) => {
        const leave = (answer: unknown): void => {
          const { signOutUrl } = (answer ?? {}) as { readonly signOutUrl?: string | null };
          if (typeof signOutUrl === 'string') location.assign(signOutUrl);
          else location.reload();
        };
        api.call('POST', 'session/sign_out', { everywhere }).then(leave, look);
      },
      [api, look],
    ),
  };
}

/** Whether people sign in here; undefined until that is known. */
export function useSignInOffered(): boolean | undefined {
  const [isOffered, setOffered] = useState<boolean>();
  useEffect(() => {
    fetch(new URL('console/sign-in/options', document.baseURI), { cache: 'no-store' })
      .then((response) => response.json() as Promise<{ readonly signIn?: boolean }>)
      .then(
        ({ signIn }) => {
          setOffered(signIn === true);
        },
        () => {
          setOffered(false);
        },
      );
  }, []);
  return isOffered;
}
