import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiContext } from './api/use-api';
import type { ManagementApi } from './api/management-api';
import { sections, type Section, views } from './areas';
import { KeyForm } from './parts/key-form';
import { LanguageChoice } from './parts/language-choice';
import { usePlace } from './place';
import { type Language, text } from './texts';

interface AppProps {
  readonly api: ManagementApi;
  readonly language: Language;
  readonly onLanguage: (language: Language) => void;
}

export function App({ api, language, onLanguage }: AppProps): VNode {
  const { area, ids, query } = usePlace();
  const [isKeyWanted, wantKey] = useState(false);
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
  useEffect(() => {
    document.title = text('common.windowTitle', { area: text(sections[under].label) });
  }, [under, language]);

  return (
    <ApiContext.Provider value={api}>
      <header class="top">
        <a class="brand" href="#/start">
          Sealwright <span>{text('common.console')}</span>
        </a>
        <nav aria-label={text('common.navigation')}>
          {Object.entries(sections).map(([name, { label }]) => (
            <a key={name} href={`#/${name}`} aria-current={(name as Section) === under ? 'page' : undefined}>
              {text(label)}
            </a>
          ))}
        </nav>
        <LanguageChoice onChoose={onLanguage} />
      </header>
      <main ref={main} tabIndex={-1}>
        {isKeyWanted ? (
          <KeyForm
            isRefused={api.hasKey}
            onKey={(key) => {
              api.useKey(key);
              wantKey(false);
            }}
          />
        ) : (
          <div key={at}>{show(ids[0], query)}</div>
        )}
      </main>
    </ApiContext.Provider>
  );
}
