import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditEntry, Page } from '../api/resources';
import { useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { shortNameOf } from '../parts/person';
import { ResourceView } from '../parts/resource-view';
import { TextField } from '../parts/text-field';
import { text } from '../texts';

interface Filter {
  readonly principal: string;
  readonly action: string;
  readonly object: string;
  readonly outcome: string;
}

const everything: Filter = { principal: '', action: '', object: '', outcome: '' };

/** Who changed what, who read personal data, and who was refused. */
export function AuditView(): VNode {
  const [written, write] = useState(everything);
  const [filter, setFilter] = useState(everything);
  const [cursor, setCursor] = useState<string>();
  const given = Object.entries({ ...filter, cursor: cursor ?? '' }).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given).toString();
  const found = useResource<Page<AuditEntry>>(`audit${query === '' ? '' : `?${query}`}`);
  const field = (name: keyof Filter, label: string): VNode => (
    <TextField
      id={`audit-${name}`}
      label={label}
      value={written[name]}
      onText={(value) => {
        write({ ...written, [name]: value });
      }}
    />
  );
  return (
    <>
      <h1>{text('admin.audit')}</h1>
      <form
        role="search"
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setCursor(undefined);
          // Whoever is meant by what the list calls them.
          const meant = found.value?.items.find(({ principal }) => shortNameOf(principal) === written.principal);
          setFilter({ ...written, principal: meant?.principal ?? written.principal });
        }}
      >
        {field('principal', text('admin.principal'))}
        {field('action', text('admin.action'))}
        {field('object', text('admin.object'))}
        {field('outcome', text('admin.outcome'))}
        <div class="actions">
          <button class="primary">{text('offers.find')}</button>
        </div>
      </form>
      <ResourceView resource={found}>
        {({ items, nextCursor }) => (
          <>
            <div class="wide" role="region" aria-labelledby="entries" tabIndex={0}>
              <table>
                <caption id="entries">{text('admin.auditEntries')}</caption>
                <thead>
                  <tr>
                    <th scope="col">{text('admin.time')}</th>
                    <th scope="col">{text('admin.principal')}</th>
                    <th scope="col">{text('admin.action')}</th>
                    <th scope="col">{text('admin.object')}</th>
                    <th scope="col">{text('admin.outcome')}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ at, principal, action, object, outcome }, index) => (
                    <tr key={index}>
                      <td data-label={text('admin.time')}>
                        <Moment at={at} />
                      </td>
                      <td data-label={text('admin.principal')} title={principal}>
                        {shortNameOf(principal)}
                      </td>
                      <td data-label={text('admin.action')}>{action}</td>
                      <td data-label={text('admin.object')}>{object}</td>
                      <td data-label={text('admin.outcome')}>
                        <Badge state={outcome} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {nextCursor !== null && (
              <button
                type="button"
                onClick={() => {
                  setCursor(nextCursor);
                }}
              >
                {text('admin.older')}
              </button>
            )}
          </>
        )}
      </ResourceView>
    </>
  );
}
