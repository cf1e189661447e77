import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { EventType, Webhook, WebhookWithSecret } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Form } from '../parts/form';
import { ResourceView } from '../parts/resource-view';
import { TextField, Tick } from '../parts/text-field';
import { addressOf, goTo } from '../place';
import { webhookSecrets } from '../shown-once';
import { text } from '../texts';

const types = Object.keys({
  'approval.approved': 0,
  'approval.expired': 0,
  'approval.rejected': 0,
  'approval.requested': 0,
  'approval.unneeded': 0,
  'authorization.consented': 0,
  'authorization.identified': 0,
  'authorization.redeemed': 0,
  'authorization.refused': 0,
  'authorization.revoked': 0,
  'credential.accepted': 0,
  'credential.approved': 0,
  'credential.delayed': 0,
  'credential.deleted': 0,
  'credential.denied': 0,
  'credential.held': 0,
  'credential.issued': 0,
  'credential.refused': 0,
  'credential.reinstated': 0,
  'credential.requested': 0,
  'credential.revoked': 0,
  'credential.suspended': 0,
  'offer.expired': 0,
  'offer.fetched': 0,
  'offer.locked': 0,
  'offer.redeemed': 0,
  'presentation.expired': 0,
  'presentation.rejected': 0,
  'presentation.released': 0,
  'presentation.verified': 0,
  'template.archived': 0,
  'template.published': 0,
} satisfies Record<EventType, 0>);

export function NewWebhookView(): VNode {
  return (
    <>
      <p class="back">
        <a href={addressOf('webhooks')}>{text('admin.webhooks')}</a>
      </p>
      <WebhookForm known={undefined} />
    </>
  );
}

export function ChangeWebhookView({ webhookId }: { readonly webhookId: string }): VNode {
  const webhook = useResource<Webhook>(`webhooks/${encodeURIComponent(webhookId)}`);
  return (
    <>
      <p class="back">
        <a href={addressOf('webhooks', webhookId)}>{webhook.value?.url ?? webhookId}</a>
      </p>
      <ResourceView resource={webhook}>{(known) => <WebhookForm known={known} />}</ResourceView>
    </>
  );
}

/** Where events are sent, and which. */
function WebhookForm({ known }: { readonly known: Webhook | undefined }): VNode {
  const [url, setUrl] = useState(known?.url ?? '');
  const [description, describe] = useState(known?.description ?? '');
  const [chosen, choose] = useState<readonly string[]>(known?.types ?? []);
  const action = useAction();
  const faultOf = (name: string): string | undefined =>
    action.problem?.violations?.find(({ pointer }) => pointer === `/${name}`)?.message;
  const make = async (): Promise<void> => {
    const body = { url, types: chosen, ...(description !== '' && { description }) };
    const made = (await action.call('POST', 'webhooks', body)) as WebhookWithSecret | undefined;
    if (!made) return;
    webhookSecrets.remember(made.webhookId, made.secret);
    goTo(addressOf('webhooks', made.webhookId));
  };
  const change = async (webhookId: string): Promise<void> => {
    const body = { url, types: chosen, description: description === '' ? null : description };
    if ((await action.call('PATCH', `webhooks/${encodeURIComponent(webhookId)}`, body)) !== undefined)
      goTo(addressOf('webhooks', webhookId));
  };
  return (
    <>
      <h1>{text(known ? 'webhooks.changeTitle' : 'webhooks.new')}</h1>
      <Form
        isWide
        action={action}
        isShownElsewhere={(pointer) => ['/url', '/description'].includes(pointer)}
        submit={text(known ? 'templates.save' : 'webhooks.create')}
        onSubmit={() => (known ? change(known.webhookId) : make())}
      >
        <div class="narrow">
          <TextField
            id="url"
            label={text('webhooks.url')}
            value={url}
            onText={setUrl}
            hint={text('webhooks.urlHint')}
            fault={faultOf('url')}
            required
          />
          <TextField
            id="description"
            label={text('webhooks.description')}
            value={description}
            onText={describe}
            hint={text('webhooks.descriptionHint')}
            fault={faultOf('description')}
          />
        </div>
        <fieldset>
          <legend>{text('webhooks.types')}</legend>
          <p class="hint">{text('webhooks.typesHint')}</p>
          <div class="checks">
            {types.map((type) => (
              <Tick
                key={type}
                label={type}
                isOn={chosen.includes(type)}
                onChange={(isOn) => {
                  choose(types.filter((one) => (one === type ? isOn : chosen.includes(one))));
                }}
              />
            ))}
          </div>
        </fieldset>
      </Form>
    </>
  );
}
