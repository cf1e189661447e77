import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Approval, Import, ImportMapping, ImportRow, Page } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { ApprovalNotice } from '../parts/approval-notice';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { addressOf } from '../place';
import { currentLocale, text } from '../texts';
import { CountTable, ImportHandover } from './import-handover';

/** Milliseconds: what changes is said no more often, so that it can be heard. */
const every = 5_000;
const soon = 1_000;
const shownRows = 25;
const locales = ['ar', 'de', 'de-CH', 'en-GB', 'en-US', 'es', 'fr', 'it', 'nl'] as const;
const states = [
  'ready',
  'faulty',
  'duplicate',
  'already-offered',
  'already-issued',
  'created',
  'failed',
  'unchecked',
] as const;

export function ImportView({ importId }: { readonly importId: string }): VNode {
  const path = `imports/${encodeURIComponent(importId)}`;
  const [isReading, setReading] = useState(true);
  const found = useResource<Import>(path, isReading ? soon : every);
  const state = found.value?.state;
  useEffect(() => {
    setReading(state === 'Reading' || state === undefined);
  }, [state]);
  return (
    <>
      <p class="back">
        <a href={addressOf('imports')}>{text('imports.title')}</a>
      </p>
      <div class="title">
        <h1>{found.value ? <Kind ids={found.value.templateId} /> : text('imports.title')}</h1>
        <span role="status">{state !== undefined && <Badge state={state} />}</span>
      </div>
      <ResourceView resource={found}>
        {(value) => (
          <>
            {value.reason !== undefined && <p class="problem">{value.reason}</p>}
            {value.erasedAt !== undefined && <p class="hint">{text('imports.erased')}</p>}
            {value.approvalId !== undefined && <Waiting approvalId={value.approvalId} />}
            <Totals found={value} />
            <Actions path={path} found={value} onChange={found.reload} />
            <ImportHandover path={path} found={value} onChange={found.reload} />
            {value.state === 'Checked' && <Mapping path={path} onChange={found.reload} />}
            {(value.state === 'Checked' || value.state === 'Paused') && value.totals.faulty > 0 && (
              <FaultyRows path={path} onChange={found.reload} />
            )}
          </>
        )}
      </ResourceView>
    </>
  );
}

/** The approval of the start that was asked for last. */
function Waiting({ approvalId }: { readonly approvalId: string }): VNode {
  const approval = useResource<Approval>(`approvals/${encodeURIComponent(approvalId)}`, every);
  const state = approval.value?.state ?? 'open';
  return (
    <div role="status">
      {state === 'open' ? (
        <ApprovalNotice answer={{ approvalId, action: 'import.start' }} />
      ) : (
        <p class="notice">
          <a href={addressOf('approvals', approvalId)}>{text('approvals.import')}</a> <Badge state={state} />
        </p>
      )}
    </div>
  );
}

function Totals({ found: { totals, startedAt } }: { readonly found: Import }): VNode {
  return (
    <>
      <CountTable
        title={text('imports.totals')}
        counts={states.map((state) => [state, <Badge key={state} state={state} />, totals[state]])}
      />
      <p role="status" aria-live="polite">
        {startedAt !== undefined &&
          text('imports.progress', { made: totals.created, all: totals.created + totals.ready })}
      </p>
    </>
  );
}

interface PartProps {
  readonly path: string;
  readonly onChange: () => void;
}

function Actions({ path, found, onChange }: PartProps & { readonly found: Import }): VNode {
  const action = useAction();
  const { state, totals, importId } = found;
  const move = async (name: string, question?: string): Promise<void> => {
    if (question !== undefined && !confirm(question)) return;
    await action.call('POST', `${path}/${name}`);
    onChange();
  };
  const button = (name: string, words: string, question?: string, isPrimary = false): VNode => (
    <button
      class={isPrimary ? 'button primary' : 'button'}
      type="button"
      disabled={action.isRunning}
      onClick={() => void move(name, question)}
    >
      {words}
    </button>
  );
  const canEnd = ['Reading', 'Checked', 'Running', 'Paused'].includes(state);
  return (
    <>
      <ProblemNotice problem={action.problem} />
      <div class="actions">
        {state === 'Checked' &&
          totals.ready > 0 &&
          button('start', text('imports.start'), text('imports.startConfirm', { ready: totals.ready }), true)}
        {state === 'Running' && button('pause', text('imports.pause'))}
        {state === 'Paused' && button('resume', text('imports.resume'), undefined, true)}
        {canEnd && button('cancel', text('imports.cancel'), text('imports.cancelConfirm'))}
        {totals.rows > 0 && (
          <button
            class="button"
            type="button"
            disabled={action.isRunning}
            onClick={() => void action.download(`${path}/result.csv`, `${importId}.csv`)}
          >
            {text('imports.result')}
          </button>
        )}
      </div>
    </>
  );
}

function Mapping({ path, onChange }: PartProps): VNode {
  const mapping = useResource<ImportMapping>(`${path}/mapping`);
  return (
    <section aria-labelledby="columns">
      <h2 id="columns">{text('imports.columns')}</h2>
      <ResourceView resource={mapping}>
        {(value) => <MappingForm path={path} mapping={value} onChange={onChange} />}
      </ResourceView>
    </section>
  );
}

function MappingForm({ path, mapping, onChange }: PartProps & { readonly mapping: ImportMapping }): VNode {
  const action = useAction();
  const [chosen, choose] = useState(() => new Map(mapping.columns.map(({ column, to = '' }) => [column, to])));
  const [locale, setLocale] = useState<string>(mapping.locale ?? '');
  const day = (tag: string): string =>
    `${new Intl.DisplayNames([currentLocale()], { type: 'language' }).of(tag) ?? tag}: ${new Intl.DateTimeFormat(`${tag}-u-nu-latn`, { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' }).format(Date.UTC(2026, 11, 31))}`;
  const submit = async (): Promise<void> => {
    const columns = [...chosen].flatMap(([column, to]) => (to === '' ? [] : [{ column, to }]));
    await action.call('PUT', `${path}/mapping`, { columns, ...(locale !== '' && { locale }) });
    onChange();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <table aria-labelledby="columns">
        <thead>
          <tr>
            <th scope="col">{text('imports.inFile')}</th>
            <th scope="col">{text('imports.inCredential')}</th>
          </tr>
        </thead>
        <tbody>
          {mapping.columns.map(({ column, header }) => (
            <tr key={column}>
              <th scope="row">
                <label for={`column-${column}`}>{header}</label>
              </th>
              <td>
                <select
                  id={`column-${column}`}
                  value={chosen.get(column) ?? ''}
                  onChange={({ currentTarget }) => {
                    choose(new Map(chosen).set(column, currentTarget.value));
                  }}
                >
                  <option value="">{text('imports.leftOut')}</option>
                  {mapping.targets.map(({ to, label, required }) => (
                    <option key={to} value={to}>
                      {required ? text('imports.required', { label }) : label}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="field">
        <label for="locale">{text('imports.locale')}</label>
        <select
          id="locale"
          value={locale}
          onChange={({ currentTarget }) => {
            setLocale(currentTarget.value);
          }}
        >
          <option value="">{text('imports.isoOnly')}</option>
          {locales.map((tag) => (
            <option key={tag} value={tag}>
              {day(tag)}
            </option>
          ))}
        </select>
      </div>
      <ProblemNotice problem={action.problem} />
      <button class="button" type="submit" disabled={action.isRunning}>
        {text('imports.match')}
      </button>
    </form>
  );
}

function FaultyRows({ path, onChange }: PartProps): VNode {
  const rows = useResource<Page<ImportRow>>(`${path}/rows?state=faulty&limit=${shownRows}`);
  const mapping = useResource<ImportMapping>(`${path}/mapping`);
  const headers = mapping.value?.columns.map(({ header }) => header) ?? [];
  return (
    <section aria-labelledby="faulty">
      <h2 id="faulty">{text('imports.toCorrect')}</h2>
      <ResourceView resource={rows}>
        {({ items, nextCursor }) => (
          <>
            <ul>
              {items.flatMap(({ row, faults }) =>
                faults.map(({ message }) => (
                  <li key={message}>
                    <button
                      class="button"
                      type="button"
                      onClick={() => document.getElementById(`row-${row}`)?.querySelector('input')?.focus()}
                    >
                      {message}
                    </button>
                  </li>
                )),
              )}
            </ul>
            {items.map((item) => (
              <RowForm
                key={`${item.row} ${item.etag}`}
                path={path}
                item={item}
                headers={headers}
                onChange={() => {
                  rows.reload();
                  onChange();
                }}
              />
            ))}
            {nextCursor !== null && <p class="hint">{text('imports.more')}</p>}
          </>
        )}
      </ResourceView>
    </section>
  );
}

interface RowFormProps extends PartProps {
  readonly item: ImportRow;
  readonly headers: readonly string[];
}

/** The cells that are at fault; all of them where no column is. */
function RowForm({ path, item, headers, onChange }: RowFormProps): VNode {
  const action = useAction();
  const [values, setValues] = useState<ReadonlyMap<number, string>>(new Map());
  const faulty = new Set(item.faults.flatMap(({ column }) => column ?? []));
  const columns = headers.map((_, index) => index + 1).filter((column) => faulty.size === 0 || faulty.has(column));
  const submit = async (): Promise<void> => {
    const changed = [...values].map(([column, value]) => ({ column, value }));
    const answer = await action.call('PATCH', `${path}/rows/${item.row}`, { values: changed }, item.etag);
    if (answer !== undefined) onChange();
  };
  return (
    <form
      id={`row-${item.row}`}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <fieldset>
        <legend>{text('imports.row', { row: String(item.row) })}</legend>
        {columns.map((column) => (
          <div class="field" key={column}>
            <label for={`cell-${item.row}-${column}`}>{headers[column - 1]}</label>
            <input
              id={`cell-${item.row}-${column}`}
              type="text"
              value={values.get(column) ?? item.values[column - 1] ?? ''}
              aria-invalid={faulty.has(column)}
              aria-describedby={`faults-${item.row}`}
              onInput={({ currentTarget }) => {
                setValues(new Map(values).set(column, currentTarget.value));
              }}
            />
          </div>
        ))}
        <div id={`faults-${item.row}`}>
          {item.faults.map(({ message }) => (
            <p class="fault" key={message}>
              {message}
            </p>
          ))}
        </div>
        <ProblemNotice problem={action.problem} />
        <button class="button" type="submit" disabled={action.isRunning}>
          {text('imports.correct')}
        </button>
      </fieldset>
    </form>
  );
}
