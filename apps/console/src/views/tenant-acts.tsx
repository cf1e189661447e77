import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Tenant } from '../api/resources';
import { useAction, useResource, useScopes } from '../api/use-api';
import { ProblemNotice } from '../parts/problem-notice';
import { Confirm } from '../parts/review';
import { TextField } from '../parts/text-field';
import { text, type TextKey } from '../texts';
import type { TenantSettings } from './new-tenant';

interface TenantActsProps {
  readonly path: string;
  readonly tenant: Tenant;
  readonly onDone: () => void;
}

/** What stops a tenant, ends it, or has it go on. */
export function TenantActs({ path, tenant, onDone }: TenantActsProps): VNode {
  const [asked, ask] = useState<'suspend' | 'delete'>();
  const action = useAction();
  const run = async (method: 'POST' | 'DELETE', below: string, body?: object): Promise<void> => {
    if ((await action.call(method, path + below, body)) === undefined) return;
    ask(undefined);
    onDone();
  };
  const back = (): void => {
    ask(undefined);
  };
  const steps = { tenant, isRunning: action.isRunning, onBack: back };
  const confirm = `?confirm=${encodeURIComponent(tenant.tenantId)}`;
  const isKept = tenant.deletedAt === null;
  return (
    <>
      <ProblemNotice problem={action.problem} />
      {asked === 'suspend' && <Suspension {...steps} onConfirm={(body) => void run('POST', '/suspend', body)} />}
      {asked === 'delete' && <Deletion {...steps} onConfirm={(body) => void run('DELETE', confirm, body)} />}
      {asked === undefined && (
        <div class="actions">
          {tenant.status === 'Suspended' && (
            <button class="primary" disabled={action.isRunning} onClick={() => void run('POST', '/resume')}>
              {text('tenants.resume')}
            </button>
          )}
          {tenant.status === 'Deleting' && (
            <button class="primary" disabled={action.isRunning} onClick={() => void run('POST', '/restore')}>
              {text('tenants.restore')}
            </button>
          )}
          {isKept && (
            <button
              class="danger"
              onClick={() => {
                ask('suspend');
              }}
            >
              {text('tenants.suspend')}
            </button>
          )}
          {isKept && tenant.file === null && (
            <button
              class="danger"
              onClick={() => {
                ask('delete');
              }}
            >
              {text('tenants.delete')}
            </button>
          )}
        </div>
      )}
    </>
  );
}

interface StepProps {
  readonly tenant: Tenant;
  readonly isRunning: boolean;
  readonly onConfirm: (body: object) => void;
  readonly onBack: () => void;
}

function Suspension({ tenant, onConfirm, ...step }: StepProps): VNode {
  const [scope, setScope] = useState('issuing');
  const [reason, setReason] = useState('');
  return (
    <Confirm
      {...step}
      yes="tenants.suspendYes"
      onConfirm={() => {
        onConfirm({ scope, ...(reason.trim() !== '' && { reason: reason.trim() }) });
      }}
    >
      <p>{text('tenants.suspendWords', { name: tenant.displayName })}</p>
      <Choice
        id="suspension-scope"
        label={text('tenants.stops')}
        value={scope}
        onChoose={setScope}
        options={[
          ['issuing', 'tenants.stopsIssuing'],
          ['all', 'tenants.stopsAll'],
        ]}
      />
      <TextField
        id="suspension-reason"
        label={text('credentials.reason')}
        value={reason}
        onText={setReason}
        hint={text('tenants.reasonHint')}
      />
    </Confirm>
  );
}

function Deletion({ tenant, onConfirm, ...step }: StepProps): VNode {
  const { tenantId, displayName } = tenant;
  const [written, write] = useState('');
  const [isOther, setOther] = useState(false);
  const [credentials, choose] = useState('keep-status');
  const mayReadSettings = useScopes().includes('configuration:read');
  return (
    <Confirm
      {...step}
      yes="tenants.deleteYes"
      onConfirm={() => {
        setOther(written.trim() !== tenantId);
        if (written.trim() === tenantId) onConfirm({ credentials });
      }}
    >
      <p>{text('tenants.deleteWords', { name: displayName })}</p>
      {mayReadSettings && <RegretDays />}
      <Choice
        id="deletion-fate"
        label={text('tenants.fate')}
        value={credentials}
        onChoose={choose}
        options={[
          ['keep-status', 'tenants.keepStatus'],
          ['revoke-all', 'tenants.revokeAll'],
        ]}
      />
      <TextField
        id="deletion-confirm"
        label={text('tenants.confirm', { id: tenantId })}
        value={written}
        onText={write}
        fault={isOther ? text('tenants.confirmFault') : undefined}
        required
      />
    </Confirm>
  );
}

function RegretDays(): VNode | null {
  const days = useResource<TenantSettings>('configuration').value?.tenants?.regretDays;
  return days === undefined ? null : <p>{text('tenants.regretDays', { count: days })}</p>;
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly options: readonly (readonly [string, TextKey])[];
}

function Choice({ id, label, value, onChoose, options }: ChoiceProps): VNode {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.value);
        }}
      >
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {text(words)}
          </option>
        ))}
      </select>
    </div>
  );
}
