import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Tenant, TenantUsage } from '../api/resources';
import { useAction, useResource, useScopes } from '../api/use-api';
import { Moment } from '../parts/moment';
import { Form } from '../parts/form';
import { ResourceView } from '../parts/resource-view';
import { TextField } from '../parts/text-field';
import { Facts } from '../parts/value';
import { addressOf } from '../place';
import { tenantKeys } from '../shown-once';
import { numberText, text } from '../texts';
import { ShownKey } from './api-keys';
import { TenantActs } from './tenant-acts';
import { limitNames, limits, TenantBadge } from './tenants';

const every = 5_000;

/** What a tenant is and has, and what its operator can do. */
export function TenantView({ tenantId }: { readonly tenantId: string }): VNode {
  const path = `tenants/${encodeURIComponent(tenantId)}`;
  const tenant = useResource<Tenant>(path, every);
  const usage = useResource<TenantUsage>(`${path}/usage`);
  const mayWrite = useScopes().includes('tenants:write');
  return (
    <>
      <p class="back">
        <a href={addressOf('tenants')}>{text('tenants.title')}</a>
      </p>
      <ResourceView resource={tenant}>
        {(value) => (
          <>
            <div class="title">
              <h1>{value.displayName}</h1>
              <span role="status">
                <TenantBadge status={value.status} />
              </span>
              <a
                class="button"
                href={`t/${encodeURIComponent(tenantId)}/console`}
                target="_blank"
                rel="noopener noreferrer"
              >
                {text('tenants.openConsole')}
              </a>
            </div>
            <ShownKey words={text('tenants.keyOnce')} apiKey={tenantKeys.of(tenantId)} />
            <Facts facts={factsOf(value)} />
            {mayWrite && <TenantActs path={path} tenant={value} onDone={tenant.reload} />}
            {mayWrite && value.deletedAt === null && (
              <>
                {value.file === null && <LimitsForm path={path} tenant={value} onDone={tenant.reload} />}
                <NewTenantKey path={path} />
              </>
            )}
          </>
        )}
      </ResourceView>
      <h2>{text('tenants.usage')}</h2>
      <ResourceView resource={usage}>
        {({ offers, credentials, templates, webhooks }) => (
          <Facts
            facts={[
              [text('tenants.issued'), numberText(credentials.issued)],
              [text('tenants.recent'), numberText(credentials.issuedInLast30Days)],
              [text('common.offers'), numberText(offers)],
              [text('common.templates'), numberText(templates)],
              [text('admin.webhooks'), numberText(webhooks)],
            ]}
          />
        )}
      </ResourceView>
    </>
  );
}

function factsOf(tenant: Tenant): [string, unknown][] {
  const { tenantId, url, store, createdAt, suspension, deletedAt, restorableUntil, credentials, file } = tenant;
  const stops = suspension && text(suspension.scope === 'all' ? 'tenants.stopsAll' : 'tenants.stopsIssuing');
  return [
    [text('tenants.id'), tenantId],
    [text('tenants.address'), url],
    [text('tenants.store'), store === 'first' ? undefined : store],
    [text('tenants.createdAt'), <Moment at={createdAt} />],
    [text('tenants.stops'), stops ?? undefined],
    [text('credentials.reason'), suspension?.reason ?? undefined],
    [text('tenants.suspendedAt'), suspension ? <Moment at={suspension.suspendedAt} /> : undefined],
    [text('tenants.deletedAt'), deletedAt === null ? undefined : <Moment at={deletedAt} />],
    [text('tenants.restorableUntil'), restorableUntil === null ? undefined : <Moment at={restorableUntil} />],
    [
      text('tenants.fate'),
      credentials === null
        ? undefined
        : text(credentials === 'revoke-all' ? 'tenants.revokeAll' : 'tenants.keepStatus'),
    ],
    [text('tenants.file'), file ?? undefined],
    ...limitNames.map((name): [string, unknown] => {
      const limit = tenant.limits[name];
      return [text(limits[name]), limit === null ? text('tenants.noLimit') : numberText(limit)];
    }),
  ];
}

/** What is no number goes as it is written: the service says what it takes. */
function limitIn(written: string): number | string | null {
  if (written === '') return null;
  return /^\d+$/.test(written) ? Number(written) : written;
}

interface PartProps {
  readonly path: string;
  readonly tenant: Tenant;
  readonly onDone: () => void;
}

function LimitsForm({ path, tenant, onDone }: PartProps): VNode {
  const written = (name: (typeof limitNames)[number]): string => String(tenant.limits[name] ?? '');
  const [changed, change] = useState<Partial<Record<(typeof limitNames)[number], string>>>({});
  const [isSaved, setSaved] = useState(false);
  const action = useAction();
  const faultOf = (name: string): string | undefined =>
    action.problem?.violations?.find(({ pointer }) => pointer === `/limits/${name}`)?.message;
  const save = async (): Promise<void> => {
    const asked = Object.entries(changed).map(([name, value]) => [name, limitIn(value.trim())]);
    setSaved(false);
    if ((await action.call('PATCH', path, { limits: Object.fromEntries(asked) as object })) === undefined) return;
    change({});
    setSaved(true);
    onDone();
  };
  return (
    <details>
      <summary>{text('tenants.changeLimits')}</summary>
      <Form
        action={action}
        isShownElsewhere={(pointer) => pointer.startsWith('/limits/')}
        submit={text('tenants.saveLimits')}
        onSubmit={save}
      >
        <p class="hint">{text('tenants.limitsHint')}</p>
        {limitNames.map((name) => (
          <TextField
            key={name}
            id={`limit-${name}`}
            label={text(limits[name])}
            value={changed[name] ?? written(name)}
            fault={faultOf(name)}
            onText={(value) => {
              change({ ...changed, [name]: value });
            }}
          />
        ))}
      </Form>
      <p class="hint" role="status">
        {isSaved ? text('tenants.saved') : ''}
      </p>
    </details>
  );
}

/** A further key: the former ones are revoked in the console of the tenant. */
function NewTenantKey({ path }: { readonly path: string }): VNode {
  const [name, setName] = useState('');
  const [apiKey, setApiKey] = useState<string>();
  const action = useAction();
  const create = async (): Promise<void> => {
    const made = (await action.call('POST', `${path}/api_keys`, { name })) as { apiKey: string } | undefined;
    setApiKey(made?.apiKey);
    if (made) setName('');
  };
  return (
    <details>
      <summary>{text('admin.newKey')}</summary>
      <Form action={action} submit={text('admin.createKey')} onSubmit={create}>
        <p class="hint">{text('tenants.keyHint')}</p>
        <TextField id="tenant-key" label={text('admin.keyName')} value={name} onText={setName} required />
      </Form>
      <ShownKey words={text('tenants.keyOnce')} apiKey={apiKey} />
    </details>
  );
}
