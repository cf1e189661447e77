import type { VNode } from 'preact';
import type { Area, Place } from './place';
import type { TextKey } from './texts';
import { AuthorizationView } from './views/authorization';
import { AuthorizationsView } from './views/authorizations';
import { ConfigurationView } from './views/configuration';
import { IssueView } from './views/issue';
import { NewRequestView } from './views/new-request';
import { OfferView } from './views/offer';
import { OffersView } from './views/offers';
import { RegistrationView } from './views/registration';
import { RequestView } from './views/request';
import { RequestsView } from './views/requests';
import { TemplateView } from './views/template';
import { ChangeTemplateView, NewTemplateView } from './views/template-form';
import { TemplatesView } from './views/templates';

/** The entries of the navigation. */
export const sections = {
  templates: { label: 'common.templates' },
  offers: { label: 'common.offers' },
  authorizations: { label: 'common.authorizations' },
  requests: { label: 'common.requests' },
  registration: { label: 'common.registration' },
  configuration: { label: 'common.configuration' },
} as const satisfies Record<string, { readonly label: TextKey }>;

export type Section = keyof typeof sections;

interface View {
  /** The entry of the navigation that it belongs to. */
  readonly under: Section;
  readonly show: (id: string | undefined, query: Place['query']) => VNode;
}

export const views: Readonly<Record<Area, View>> = {
  authorizations: {
    under: 'authorizations',
    show: (id) => (id === undefined ? <AuthorizationsView /> : <AuthorizationView authorizationId={id} />),
  },
  'change-template': { under: 'templates', show: (id = '') => <ChangeTemplateView templateId={id} /> },
  configuration: { under: 'configuration', show: () => <ConfigurationView /> },
  issue: {
    under: 'offers',
    show: (id = '', query) => <IssueView configurationId={id} offerId={query.get('offer') ?? undefined} />,
  },
  'new-request': {
    under: 'requests',
    show: (_id, query) => <NewRequestView asked={query.get('credential') ?? undefined} />,
  },
  'new-template': { under: 'templates', show: () => <NewTemplateView /> },
  offers: { under: 'offers', show: (id) => (id === undefined ? <OffersView /> : <OfferView offerId={id} />) },
  registration: { under: 'registration', show: () => <RegistrationView /> },
  requests: { under: 'requests', show: (id) => (id === undefined ? <RequestsView /> : <RequestView state={id} />) },
  templates: {
    under: 'templates',
    show: (id) => (id === undefined ? <TemplatesView /> : <TemplateView templateId={id} />),
  },
};
