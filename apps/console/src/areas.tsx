import type { VNode } from 'preact';
import type { Area, Place } from './place';
import type { TextKey } from './texts';
import { ApprovalView } from './views/approval';
import { ApprovalsView } from './views/approvals';
import { AuthorizationView } from './views/authorization';
import { AuthorizationsView } from './views/authorizations';
import { ConfigurationView } from './views/configuration';
import { ImportView } from './views/import';
import { ImportsView, NewImportView } from './views/imports';
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
  templates: { label: 'common.templates', scope: 'templates:read' },
  offers: { label: 'common.offers', scope: 'offers:read' },
  imports: { label: 'imports.title', scope: 'credentials:read' },
  authorizations: { label: 'common.authorizations', scope: 'authorizations:read' },
  requests: { label: 'common.requests', scope: 'verification:read' },
  approvals: { label: 'approvals.title', scope: 'approvals:read' },
  registration: { label: 'common.registration', scope: 'configuration:read' },
  configuration: { label: 'common.configuration', scope: 'configuration:read' },
} as const satisfies Record<string, { readonly label: TextKey; readonly scope: string }>;

export type Section = keyof typeof sections;

interface View {
  /** The entry of the navigation that it belongs to. */
  readonly under: Section;
  readonly show: (id: string | undefined, query: Place['query']) => VNode;
}

export const views: Readonly<Record<Area, View>> = {
  approvals: {
    under: 'approvals',
    show: (id) => (id === undefined ? <ApprovalsView /> : <ApprovalView approvalId={id} />),
  },
  authorizations: {
    under: 'authorizations',
    show: (id) => (id === undefined ? <AuthorizationsView /> : <AuthorizationView authorizationId={id} />),
  },
  'change-template': { under: 'templates', show: (id = '') => <ChangeTemplateView templateId={id} /> },
  configuration: { under: 'configuration', show: () => <ConfigurationView /> },
  imports: { under: 'imports', show: (id) => (id === undefined ? <ImportsView /> : <ImportView importId={id} />) },
  'new-import': { under: 'imports', show: () => <NewImportView /> },
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
