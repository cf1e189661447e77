import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Delivery, Page, Webhook, WebhookTest, WebhookWithSecret } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Confirm } from '../parts/review';
import { RichText } from '../parts/rich-text';
import { Row, Rows } from '../parts/rows';
import { Facts } from '../parts/value';
import { addressOf, goTo } from '../place';
import { webhookSecrets } from '../shown-once';
import { text, textFor } from '../texts';

const every = 5_000;

export function WebhooksView(): VNode {
  const webhooks = useResource<Page<Webhook>>('webhooks?limit=200');
  return (
    <>
      <div class="title">
        <h1>{text('admin.webhooks')}</h1>
        <a class="button primary" href={addressOf('new-webhook')}>
          {text('webhooks.new')}
        </a>
      </div>
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
  return (
    <>
      <p class="back">
        <a href={addressOf('webhooks')}>{text('admin.webhooks')}</a>
      </p>
      <ResourceView resource={webhook}>
        {(value) => (
          <>
            <div class="title">
              <h1>{value.url}</h1>
              <span role="status">
                <Badge state={value.status} />
              </span>
            </div>
            <Facts
              facts={[
                [text('webhooks.description'), value.description],
                [text('webhooks.types'), value.types.length === 0 ? text('webhooks.allTypes') : value.types],
                [text('admin.object'), value.subject],
                [text('webhooks.pausedBecause'), value.pause && reasonOf(value.pause)],
                [
                  text('webhooks.formerUntil'),
                  value.formerSecretExpiresAt === null ? undefined : <Moment at={value.formerSecretExpiresAt} />,
                ],
              ]}
            />
            <Acts path={path} webhook={value} onChange={webhook.reload} />
          </>
        )}
      </ResourceView>
      <ProblemNotice problem={action.problem} />
      <p>
        <button
          type="button"
          aria-pressed={isFailed}
          onClick={() => {
            showFailed(!isFailed);
          }}
        >
          {text('admin.onlyFailed')}
        </button>
      </p>
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
                  {items.map(({ eventId, type, subject, status, scheduledAt, nextAttemptAt, attempts }) => (
                    <tr key={eventId}>
                      <td data-label={text('admin.event')}>
                        {type} {subject}
                      </td>
                      <td data-label={text('credentials.state')}>
                        <Badge state={status} />
                      </td>
                      <td data-label={text('admin.time')}>
                        <Moment at={scheduledAt} />
                      </td>
                      <td data-label={text('admin.lastAnswer')}>
                        {lastAnswerOf(attempts)}
                        {attempts.length > 1 && (
                          <div class="hint">{text('webhooks.attempts', { attempts: attempts.length })}</div>
                        )}
                        {nextAttemptAt !== null && attempts.length > 0 && (
                          <div class="hint">
                            <RichText of="webhooks.next" with={{ at: <Moment at={nextAttemptAt} /> }} />
                          </div>
                        )}
                      </td>
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
  return last === undefined ? (textFor('states', 'Pending') ?? '') : answerOf(last);
}

/** The status of HTTP says more than that it was none of success. */
function answerOf({ status, failure = '' }: Delivery['attempts'][number]): string {
  return status === undefined ? failure : String(status);
}

function reasonOf({ reason, lastFailure }: NonNullable<Webhook['pause']>): string {
  return [textFor('webhooks', `pause-${reason}`) ?? reason, lastFailure].filter((one) => one !== undefined).join(' ');
}

interface ActsProps {
  readonly path: string;
  readonly webhook: Webhook;
  readonly onChange: () => void;
}

/** What can be done to a webhook; what cannot be undone is asked first. */
function Acts({ path, webhook: { webhookId, status }, onChange }: ActsProps): VNode {
  const [asked, ask] = useState<'rotate' | 'delete'>();
  const [tested, setTested] = useState<WebhookTest>();
  const action = useAction();
  const secret = webhookSecrets.of(webhookId);
  const turn = async (): Promise<void> => {
    const body = { status: status === 'Enabled' ? 'Paused' : 'Enabled' };
    if ((await action.call('PATCH', path, body)) !== undefined) onChange();
  };
  const test = async (): Promise<void> => {
    setTested((await action.call('POST', `${path}/test`)) as WebhookTest | undefined);
  };
  const carryOut = async (): Promise<void> => {
    if (asked === 'delete') {
      if ((await action.call('DELETE', path)) !== undefined) goTo(addressOf('webhooks'));
      return;
    }
    const answer = (await action.call('POST', `${path}/rotate_secret`, {})) as WebhookWithSecret | undefined;
    if (!answer) return;
    webhookSecrets.remember(webhookId, answer.secret);
    ask(undefined);
    onChange();
  };
  return (
    <>
      <ProblemNotice problem={action.problem} />
      <div aria-live="polite">
        {secret !== undefined && (
          <div class="review">
            <p>{text('webhooks.secretOnce')}</p>
            <code class="long">{secret}</code>
          </div>
        )}
        {tested && (
          <p class="notice">
            {text(tested.outcome === 'delivered' ? 'webhooks.testDelivered' : 'webhooks.testFailed', {
              answer: answerOf(tested),
            })}
          </p>
        )}
      </div>
      {asked ? (
        <Confirm
          yes={asked === 'delete' ? 'webhooks.deleteYes' : 'webhooks.rotateYes'}
          isRunning={action.isRunning}
          onConfirm={() => void carryOut()}
          onBack={() => {
            ask(undefined);
          }}
        >
          <p>{text(asked === 'delete' ? 'webhooks.deleteWords' : 'webhooks.rotateWords')}</p>
        </Confirm>
      ) : (
        <div class="actions">
          <a class="button" href={addressOf('change-webhook', webhookId)}>
            {text('templates.change')}
          </a>
          <button type="button" disabled={action.isRunning} onClick={() => void turn()}>
            {text(status === 'Enabled' ? 'admin.pause' : 'admin.goOn')}
          </button>
          <button type="button" disabled={action.isRunning} onClick={() => void test()}>
            {text('webhooks.test')}
          </button>
          <button
            type="button"
            onClick={() => {
              ask('rotate');
            }}
          >
            {text('webhooks.rotate')}
          </button>
          <button
            class="danger"
            type="button"
            onClick={() => {
              ask('delete');
            }}
          >
            {text('templates.delete')}
          </button>
        </div>
      )}
    </>
  );
}
