import type { EventCounter } from '@app/observability';
import { webhookAggregate, type WebhookEvent } from './webhook';

const outcomes = ['created', 'paused', 'gone', 'failing', 'resumed', 'deleted'] as const;

/** What became of webhooks. */
export const webhookCounter: EventCounter = {
  category: webhookAggregate.category,
  name: 'webhook_changes_total',
  help: 'Webhooks by what happened to them; gone and failing: paused by the service',
  series: outcomes.map((outcome) => ({ outcome })),
  seriesOf: (type, state) => {
    const outcome = outcomeOf(type as WebhookEvent['type'], state);
    return outcome && { outcome };
  },
};

function outcomeOf(type: WebhookEvent['type'], state: unknown): (typeof outcomes)[number] | undefined {
  switch (type) {
    case 'WebhookCreated':
      return 'created';
    case 'WebhookPaused': {
      const { pause } = state as { readonly pause?: { readonly reason: 'requested' | 'gone' | 'failing' } };
      return pause === undefined || pause.reason === 'requested' ? 'paused' : pause.reason;
    }
    case 'WebhookResumed':
      return 'resumed';
    case 'WebhookDeleted':
      return 'deleted';
    case 'WebhookChanged':
    case 'WebhookSecretRotated':
      return undefined;
  }
}
