import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Tenant, TenantUsage } from '../api/resources';
import { useAll, useResource, useScopes } from '../api/use-api';
import { Badge } from '../parts/badge';
import { ProblemNotice } from '../parts/problem-notice';
import { TextField } from '../parts/text-field';
import { addressOf } from '../place';
import { numberText, text, type TextKey } from '../texts';

/** Each row asks what its tenant has. */
const most = 25;

export const limits = {
  offersPerMinute: 'tenants.offersPerMinute',
  credentialsPerDay: 'tenants.credentialsPerDay',
  requestsPerMinute: 'tenants.requestsPerMinute',
} as const satisfies Record<keyof Tenant['limits'], TextKey>;
export const limitNames = Object.keys(limits) as readonly (keyof typeof limits)[];

const statuses = {
  Active: 'tenants.active',
  Suspended: 'tenants.suspended',
  Deleting: 'tenants.deleting',
  Deleted: 'tenants.deleted',
} as const satisfies Record<Tenant['status'], TextKey>;

export function TenantBadge({ status }: { readonly status: Tenant['status'] }): VNode {
  return <Badge state={status} word={text(statuses[status])} />;
}

/** The issuers that share the deployment. */
export function TenantsView(): VNode {
  const { value: tenants, problem } = useAll<Tenant>('tenants?limit=200');
  const mayWrite = useScopes().includes('tenants:write');
  const [wanted, want] = useState('');
  const [shown, show] = useState(most);
  const word = wanted.trim().toLowerCase();
  const found = (tenants ?? []).filter(({ tenantId, displayName, url }) =>
    [tenantId, displayName, url].some((one) => one.toLowerCase().includes(word)),
  );
  const hasStores = (tenants ?? []).some(({ store }) => store !== 'first');
  return (
    <>
      <div class="title">
        <h1>{text('tenants.title')}</h1>
        {mayWrite && (
          <a class="button primary" href={addressOf('new-tenant')}>
            {text('tenants.new')}
          </a>
        )}
      </div>
      <ProblemNotice problem={problem} />
      <form
        class="narrow"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <TextField
          id="find-tenant"
          label={text('tenants.find')}
          value={wanted}
          onText={(written) => {
            want(written);
            show(most);
          }}
        />
      </form>
      <p class="hint" role="status">
        {tenants ? text('tenants.found', { count: found.length }) : !problem && text('common.loading')}
      </p>
      <ul class="rows" aria-label={text('tenants.title')}>
        {found.slice(0, shown).map((tenant) => (
          <TenantRow key={tenant.tenantId} tenant={tenant} hasStores={hasStores} />
        ))}
      </ul>
      {found.length > shown && (
        <button
          type="button"
          onClick={() => {
            show(shown + most);
          }}
        >
          {text('tenants.more')}
        </button>
      )}
    </>
  );
}

interface TenantRowProps {
  readonly tenant: Tenant;
  readonly hasStores: boolean;
}

function TenantRow({ tenant, hasStores }: TenantRowProps): VNode {
  const { tenantId, displayName, status, url, store } = tenant;
  const { value, problem } = useResource<TenantUsage>(`tenants/${encodeURIComponent(tenantId)}/usage`);
  const set = limitNames.flatMap((name) => {
    const limit = tenant.limits[name];
    return limit === null ? [] : [`${text(limits[name])}: ${numberText(limit)}`];
  });
  const used = value && [
    `${text('common.offers')}: ${numberText(value.offers)}`,
    `${text('tenants.issued')}: ${numberText(value.credentials.issued)}`,
    `${text('tenants.recent')}: ${numberText(value.credentials.issuedInLast30Days)}`,
  ];
  return (
    <li class="row">
      <div class="row-main">
        <a href={addressOf('tenants', tenantId)}>{displayName}</a>
        <TenantBadge status={status} />
        <div class="hint">
          <code>{tenantId}</code> · {url}
          {hasStores && ` · ${text('tenants.store')}: ${store}`}
        </div>
        <div class="hint">{used?.join(' · ') ?? problem?.title ?? text('common.loading')}</div>
        <div class="hint">{set.length === 0 ? text('tenants.noLimits') : set.join(' · ')}</div>
      </div>
    </li>
  );
}
