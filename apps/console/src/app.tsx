import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiContext } from './api/use-api';
import type { ManagementApi } from './api/management-api';
import { sections, type Section, views } from './areas';
import { useSession } from './api/session';
import { LanguageChoice } from './parts/language-choice';
import { SignIn } from './parts/sign-in';
import { SessionNotices, SignedIn } from './parts/signed-in';
import { usePlace } from './place';
import { type Language, text } from './texts';

interface AppProps {
  readonly api: ManagementApi;
  /** The name of the tenant whose console it is. */
  readonly issuer: string | undefined;
  readonly language: Language;
  readonly onLanguage: (language: Language) => void;
}

export function App({ api, issuer, language, onLanguage }: AppProps): VNode {
  const { area, ids, query } = usePlace();
  const [isKeyWanted, wantKey] = useState(false);
  const state = useSession(api);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const at = [area, ...ids].join('/');
  const { under, show } = views[area];

  useEffect(
    () =>
      api.onKeyWanted(() => {
        wantKey(true);
      }),
    [api],
  );
  // A person who follows a link with the keyboard or a screen reader goes on where the new content begins.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [at]);
  // With the content, so that no title is read out, or kept in the browser's history, that belongs to what was there before.
  useLayoutEffect(() => {
    const area = text(sections[under].label);
    document.title = issuer === undefined ? text('common.windowTitle', { area }) : `${area} · ${issuer}`;
  }, [under, language, issuer]);

  return (
    <ApiContext.Provider value={api}>
      <header class="top">
        <a class="brand" href="#/start">
          <bdi>{issuer ?? 'Sealwright'}</bdi> <span>{text('common.console')}</span>
        </a>
        <LanguageChoice onChoose={onLanguage} />
        {!isKeyWanted && <SignedIn {...state} />}
        {!isKeyWanted && (
          <nav aria-label={text('common.navigation')}>
            {sectionsFor(state.session?.scopes).map(([name, { label }]) => (
              <a key={name} href={`#/${name}`} aria-current={(name as Section) === under ? 'page' : undefined}>
                {text(label)}
              </a>
            ))}
          </nav>
        )}
      </header>
      <main ref={main} tabIndex={-1}>
        {!isKeyWanted && <SessionNotices api={api} state={state} />}
        {isKeyWanted ? (
          <SignIn
            isRefused={api.hasKey}
            onKey={(key) => {
              api.useKey(key);
              wantKey(false);
              state.look();
            }}
          />
        ) : (
          <div key={at}>{isConfirmation() ? <Confirmed /> : show(ids[0], query)}</div>
        )}
      </main>
    </ApiContext.Provider>
  );
}

/** The areas that somebody may read; all until that is known. What is shown is no protection: the service refuses the rest. */
function sectionsFor(scopes: readonly string[] | undefined): [string, (typeof sections)[Section]][] {
  const all = Object.entries(sections);
  return scopes === undefined ? all : all.filter(([, { scope }]) => [scope].flat().some((one) => scopes.includes(one)));
}

/** Whether this is the window in which somebody has proven once more who they are. */
function isConfirmation(): boolean {
  return location.hash === '#/confirmed';
}

function Confirmed(): VNode {
  return (
    <div class="narrow">
      <h1>{text('session.confirmedTitle')}</h1>
      <p>{text('session.confirmed')}</p>
    </div>
  );
}
