import type { VNode } from 'preact';
import type { Page, Tenant } from '../api/resources';
import { useResource, useScopes } from '../api/use-api';
import { Row } from '../parts/rows';
import type { Area } from '../area-names';
import { addressOf } from '../place';
import { text, type TextKey } from '../texts';

const pages: readonly (readonly [Area, TextKey, TextKey])[] = [
  ['standing', 'admin.standing', 'admin.standingAbout'],
  ['api-keys', 'admin.apiKeys', 'admin.apiKeysAbout'],
  ['webhooks', 'admin.webhooks', 'admin.webhooksAbout'],
  ['audit', 'admin.audit', 'admin.auditAbout'],
  ['registration', 'common.registration', 'admin.registrationAbout'],
  ['configuration', 'common.configuration', 'admin.settingsHint'],
];

/** The pages of those who run the service. */
export function AdministrationView(): VNode {
  const mayReadTenants = useScopes().includes('tenants:read');
  return (
    <>
      <h1>{text('admin.title')}</h1>
      <ul class="rows">
        {pages.map(([area, title, about]) => (
          <Row key={area} address={addressOf(area)} title={text(title)} about={text(about)} />
        ))}
        {mayReadTenants && <TenantsRow />}
      </ul>
    </>
  );
}

/** Most deployments have no tenants, and nothing here says what that is. */
function TenantsRow(): VNode | null {
  const tenants = useResource<Page<Tenant>>('tenants?limit=1');
  if ((tenants.value?.items.length ?? 0) === 0) return null;
  return <Row address={addressOf('tenants')} title={text('tenants.title')} about={text('tenants.about')} />;
}
