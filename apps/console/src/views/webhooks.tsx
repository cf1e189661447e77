import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Delivery, Page, Webhook } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { addressOf } from '../place';
import { text, textFor } from '../texts';

const every = 5_000;

export function WebhooksView(): VNode {
  const webhooks = useResource<Page<Webhook>>('webhooks?limit=200');
  return (
    <>
      <h1>{text('admin.webhooks')}</h1>
      <ResourceView resource={webhooks}>
        {({ items }) => (
          <Rows items={items} nothing={text('admin.noWebhooks')}>
            {({ webhookId, url, description, status, pause }) => (
              <Row
                key={webhookId}
                address={addressOf('webhooks', webhookId)}
                title={url}
                state={status}
                about={
                  <>
                    {description} {pause?.lastFailure}
                  </>
                }
              />
            )}
          </Rows>
        )}
      </ResourceView>
    </>
  );
}

/** What a webhook was sent, what failed, and sending it again. */
export function WebhookView({ webhookId }: { readonly webhookId: string }): VNode {
  const path = `webhooks/${encodeURIComponent(webhookId)}`;
  const [isFailed, showFailed] = useState(false);
  const webhook = useResource<Webhook>(path, every);
  const deliveries = useResource<Page<Delivery>>(`${path}/deliveries${isFailed ? '?status=Dead' : ''}`, every);
  const action = useAction();
  const replay = async (fromEvent: string): Promise<void> => {
    if ((await action.call('POST', `${path}/replay`, { fromEvent })) !== undefined) deliveries.reload();
  };
  const turn = async (status: 'Enabled' | 'Paused'): Promise<void> => {
    if ((await action.call('PATCH', path, { status })) !== undefined) webhook.reload();
  };
  return (
    <>
      <p class="back">
        <a href={addressOf('webhooks')}>{text('admin.webhooks')}</a>
      </p>
      <ResourceView resource={webhook}>
        {({ url, status }) => (
          <>
            <div class="title">
              <h1>{url}</h1>
              <span role="status">
                <Badge state={status} />
              </span>
            </div>
            <ProblemNotice problem={action.problem} />
            <div class="actions">
              <button type="button" onClick={() => void turn(status === 'Enabled' ? 'Paused' : 'Enabled')}>
                {text(status === 'Enabled' ? 'admin.pause' : 'admin.goOn')}
              </button>
              <button
                type="button"
                aria-pressed={isFailed}
                onClick={() => {
                  showFailed(!isFailed);
                }}
              >
                {text('admin.onlyFailed')}
              </button>
            </div>
          </>
        )}
      </ResourceView>
      <ResourceView resource={deliveries}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="nothing">{text('admin.noDeliveries')}</p>
          ) : (
            <div class="wide" role="region" aria-labelledby="deliveries" tabIndex={0}>
              <table>
                <caption id="deliveries">{text('admin.deliveries')}</caption>
                <thead>
                  <tr>
                    <th scope="col">{text('admin.event')}</th>
                    <th scope="col">{text('credentials.state')}</th>
                    <th scope="col">{text('admin.time')}</th>
                    <th scope="col">{text('admin.lastAnswer')}</th>
                    <th scope="col">{text('admin.again')}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ eventId, type, subject, status, scheduledAt, attempts }) => (
                    <tr key={eventId}>
                      <td>
                        {type} {subject}
                      </td>
                      <td>
                        <Badge state={status} />
                      </td>
                      <td>
                        <Moment at={scheduledAt} />
                      </td>
                      <td>{lastAnswerOf(attempts)}</td>
                      <td>
                        {status === 'Dead' && (
                          <button type="button" onClick={() => void replay(eventId)}>
                            {text('admin.sendFrom')}
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </ResourceView>
    </>
  );
}

function lastAnswerOf(attempts: Delivery['attempts']): string {
  const last = attempts.at(-1);
  return last?.failure ?? (last?.status === undefined ? (textFor('states', 'Pending') ?? '') : String(last.status));
}
