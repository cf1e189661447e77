import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { TenantWithKey } from '../api/resources';
import { useAction, useResource, useScopes } from '../api/use-api';
import { Form } from '../parts/form';
import { TextField } from '../parts/text-field';
import { addressOf, goTo } from '../place';
import { tenantKeys } from '../shown-once';
import { text } from '../texts';

export interface TenantSettings {
  readonly stores?: { readonly directory: string };
  readonly tenants?: { readonly regretDays: number };
}

/** Makes a tenant; the page of it then shows its first API key. */
export function NewTenantView(): VNode {
  const [asked, ask] = useState({ tenantId: '', displayName: '', publicUrl: '', store: '' });
  const mayReadSettings = useScopes().includes('configuration:read');
  const action = useAction();
  const faults = new Map(action.problem?.violations?.map(({ pointer, message }) => [pointer, message]));
  const create = async (): Promise<void> => {
    const given = Object.entries(asked).map(([name, value]) => [name, value.trim()] as const);
    const body = Object.fromEntries(given.filter(([, value]) => value !== ''));
    const made = (await action.call('POST', 'tenants', body)) as TenantWithKey | undefined;
    if (!made) return;
    tenantKeys.remember(made.tenantId, made.apiKey);
    goTo(addressOf('tenants', made.tenantId));
  };
  const field = (name: keyof typeof asked) => ({
    id: `tenant-${name}`,
    value: asked[name],
    fault: faults.get(`/${name}`),
    onText: (written: string) => {
      ask({ ...asked, [name]: written });
    },
  });
  return (
    <>
      <p class="back">
        <a href={addressOf('tenants')}>{text('tenants.title')}</a>
      </p>
      <h1>{text('tenants.new')}</h1>
      <Form
        action={action}
        isShownElsewhere={(pointer) => pointer.slice(1) in asked}
        submit={text('tenants.create')}
        onSubmit={create}
      >
        <TextField {...field('tenantId')} label={text('tenants.id')} hint={text('tenants.idHint')} required />
        <TextField {...field('displayName')} label={text('tenants.name')} hint={text('tenants.nameHint')} required />
        <TextField {...field('publicUrl')} label={text('tenants.publicUrl')} hint={text('tenants.publicUrlHint')} />
        {mayReadSettings && <StoreField {...field('store')} />}
      </Form>
    </>
  );
}

interface StoreFieldProps {
  readonly id: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

/** Where there are stores to choose from. */
function StoreField(field: StoreFieldProps): VNode | null {
  const settings = useResource<TenantSettings>('configuration').value;
  if ((settings?.stores?.directory ?? '') === '') return null;
  return <TextField {...field} label={text('tenants.store')} hint={text('tenants.storeHint')} />;
}
