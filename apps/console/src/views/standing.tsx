import type { VNode } from 'preact';
import type { Standing } from '../api/resources';
import { useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { text } from '../texts';

const every = 10_000;

/** What works, which certificates end when, and who is trusted. */
export function StandingView(): VNode {
  const standing = useResource<Standing>('standing', every);
  return (
    <>
      <h1>{text('admin.standing')}</h1>
      <ResourceView resource={standing}>
        {({ health, certificates, trust, trustFaults = [] }) => (
          <>
            {health && (
              <Table caption={text('admin.health')} columns={[text('admin.part'), text('credentials.state')]}>
                {health.map(({ part, state, fault }) => [part, <Badge state={state} />, fault])}
              </Table>
            )}
            <Table
              caption={text('admin.certificates')}
              columns={[text('admin.use'), text('admin.subject'), text('registration.ends')]}
            >
              {certificates.map(({ use, subject, endsAt }) => [use, subject, <Moment at={endsAt} />])}
            </Table>
            <Table
              caption={text('admin.trust')}
              columns={[text('admin.subject'), text('admin.use'), text('registration.ends')]}
            >
              {trust.map(({ name, purposes, endsAt }) => [name, purposes.join(', '), <Moment at={endsAt} />])}
            </Table>
            {trustFaults.map((fault) => (
              <p class="problem" key={fault}>
                {fault}
              </p>
            ))}
          </>
        )}
      </ResourceView>
    </>
  );
}

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** Cells of each row; what is beyond the columns stands in the last one. */
  readonly children: readonly (readonly (VNode | string | undefined)[])[];
}

function Table({ caption, columns, children }: TableProps): VNode {
  if (children.length === 0) {
    return (
      <>
        <h2>{caption}</h2>
        <p class="nothing">{text('admin.nothing')}</p>
      </>
    );
  }
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {children.map((cells, row) => (
          <tr key={row}>
            {columns.map((column, index) => (
              <td key={column}>
                {cells[index]} {index === columns.length - 1 && cells.slice(columns.length)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
