import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiContext } from './api/use-api';
import type { ManagementApi } from './api/management-api';
import { KeyForm } from './parts/key-form';
import { type Place, usePlace } from './place';
import { AuthorizationView } from './views/authorization';
import { AuthorizationsView } from './views/authorizations';
import { ConfigurationView } from './views/configuration';
import { IssueView } from './views/issue';
import { NewRequestView } from './views/new-request';
import { ChangeTemplateView, NewTemplateView } from './views/template-form';
import { OfferView } from './views/offer';
import { OffersView } from './views/offers';
import { RegistrationView } from './views/registration';
import { RequestView } from './views/request';
import { RequestsView } from './views/requests';
import { TemplateView } from './views/template';
import { TemplatesView } from './views/templates';

const areas = [
  { name: 'templates', label: 'Templates' },
  { name: 'offers', label: 'Offers' },
  { name: 'authorizations', label: 'Authorizations' },
  { name: 'requests', label: 'Requests' },
  { name: 'registration', label: 'Registration' },
  { name: 'configuration', label: 'Settings' },
] as const;

export function App({ api }: { readonly api: ManagementApi }): VNode {
  const place = usePlace();
  const [isKeyWanted, wantKey] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const at = [place.area, ...place.ids].join('/');

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
    const { label } = areas.find(({ name }) => name === areaOf(place)) ?? areas[0];
    document.title = `${label} · Sealwright console`;
  }, [at]);

  return (
    <ApiContext.Provider value={api}>
      <header class="top">
        <a class="brand" href="#/templates">
          Sealwright <span>console</span>
        </a>
        <nav aria-label="Console">
          {areas.map(({ name, label }) => (
            <a key={name} href={`#/${name}`} aria-current={name === areaOf(place) ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
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
          <View key={at} place={place} />
        )}
      </main>
    </ApiContext.Provider>
  );
}

function View({ place: { area, ids, query } }: { readonly place: Place }): VNode {
  const [id] = ids;
  switch (area) {
    case 'templates':
      return id === undefined ? <TemplatesView /> : <TemplateView templateId={id} />;
    case 'new-template':
      return <NewTemplateView />;
    case 'change-template':
      return <ChangeTemplateView templateId={id ?? ''} />;
    case 'issue':
      return <IssueView configurationId={id ?? ''} offerId={query.get('offer') ?? undefined} />;
    case 'offers':
      return id === undefined ? <OffersView /> : <OfferView offerId={id} />;
    case 'authorizations':
      return id === undefined ? <AuthorizationsView /> : <AuthorizationView authorizationId={id} />;
    case 'requests':
      return id === undefined ? <RequestsView /> : <RequestView state={id} />;
    case 'new-request':
      return <NewRequestView asked={query.get('credential') ?? undefined} />;
    case 'registration':
      return <RegistrationView />;
    case 'configuration':
      return <ConfigurationView />;
  }
}

/** The entry of the navigation that a place belongs to. */
function areaOf({ area }: Place): (typeof areas)[number]['name'] {
  switch (area) {
    case 'change-template':
    case 'new-template':
    case 'templates':
      return 'templates';
    case 'issue':
    case 'offers':
      return 'offers';
    case 'authorizations':
      return 'authorizations';
    case 'new-request':
    case 'requests':
      return 'requests';
    case 'registration':
      return 'registration';
    case 'configuration':
      return 'configuration';
  }
}
