import type { VNode } from 'preact';
import type { Area } from './area-names';
import type { Place } from './place';
import type { TextKey } from './texts';
import { AdministrationView } from './views/administration';
import { ApiKeysView } from './views/api-keys';
import { ApprovalView } from './views/approval';
import { ApprovalsView } from './views/approvals';
import { AuditView } from './views/audit';
import { AuthorizationView } from './views/authorization';
import { AuthorizationsView } from './views/authorizations';
import { ConfigurationView } from './views/configuration';
import { CredentialView } from './views/credential';
import { ImportView } from './views/import';
import { ImportsView, NewImportView } from './views/imports';
import { IssueView } from './views/issue';
import { NewRequestView } from './views/new-request';
import { OfferView } from './views/offer';
import { OffersView } from './views/offers';
import { RegistrationView } from './views/registration';
import { RequestView } from './views/request';
import { RequestsView } from './views/requests';
import { StandingView } from './views/standing';
import { StartView } from './views/start';
import { StatisticsView } from './views/statistics';
import { TemplateView } from './views/template';
import { ChangeTemplateView, NewTemplateView } from './views/template-form';
import { ChangeWebhookView, NewWebhookView } from './views/webhook-form';
import { NewTenantView } from './views/new-tenant';
import { TenantView } from './views/tenant';
import { TenantsView } from './views/tenants';
import { WebhooksView, WebhookView } from './views/webhooks';
import { TemplatesView } from './views/templates';

/** The entries of the navigation. */
export const sections = {
  start: { label: 'start.title', scope: 'credentials:read' },
  offers: { label: 'common.offers', scope: 'offers:read' },
  imports: { label: 'imports.title', scope: 'credentials:read' },
  approvals: { label: 'approvals.title', scope: 'approvals:read' },
  templates: { label: 'common.templates', scope: 'templates:read' },
  authorizations: { label: 'common.authorizations', scope: 'authorizations:read' },
  requests: { label: 'common.requests', scope: 'verification:read' },
  statistics: { label: 'admin.statistics', scope: 'credentials:read' },
  administration: {
    label: 'admin.title',
    scope: ['configuration:read', 'audit:read', 'webhooks:read', 'keys:read', 'tenants:read'],
  },
} as const satisfies Record<string, { readonly label: TextKey; readonly scope: string | readonly string[] }>;

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
  credentials: {
    under: 'start',
    show: (id) => (id === undefined ? <StartView /> : <CredentialView credentialId={id} />),
  },
  'change-template': { under: 'templates', show: (id = '') => <ChangeTemplateView templateId={id} /> },
  administration: { under: 'administration', show: () => <AdministrationView /> },
  'api-keys': { under: 'administration', show: () => <ApiKeysView /> },
  audit: { under: 'administration', show: () => <AuditView /> },
  configuration: { under: 'administration', show: () => <ConfigurationView /> },
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
  'new-tenant': { under: 'administration', show: () => <NewTenantView /> },
  'new-template': { under: 'templates', show: () => <NewTemplateView /> },
  offers: { under: 'offers', show: (id) => (id === undefined ? <OffersView /> : <OfferView offerId={id} />) },
  registration: { under: 'administration', show: () => <RegistrationView /> },
  requests: { under: 'requests', show: (id) => (id === undefined ? <RequestsView /> : <RequestView state={id} />) },
  standing: { under: 'administration', show: () => <StandingView /> },
  statistics: { under: 'statistics', show: () => <StatisticsView /> },
  webhooks: {
    under: 'administration',
    show: (id) => (id === undefined ? <WebhooksView /> : <WebhookView webhookId={id} />),
  },
  'new-webhook': { under: 'administration', show: () => <NewWebhookView /> },
  'change-webhook': { under: 'administration', show: (id = '') => <ChangeWebhookView webhookId={id} /> },
  start: { under: 'start', show: () => <StartView /> },
  templates: {
    under: 'templates',
    show: (id) => (id === undefined ? <TemplatesView /> : <TemplateView templateId={id} />),
  },
  tenants: {
    under: 'administration',
    show: (id) => (id === undefined ? <TenantsView /> : <TenantView tenantId={id} />),
  },
};
