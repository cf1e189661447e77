import type { Aggregate } from '@app/event-store';
import { Problem } from '@app/primitives/problems';

/** Which events are sent. */
export interface EventFilter {
  /** Types of public events; empty for all of them. */
  readonly types: readonly string[];
  /** Only events of this subject. */
  readonly subject?: string;
}

export interface WebhookContent extends EventFilter {
  /** The URL, sealed under the data key of the webhook: it may hold a credential of the receiver. */
  readonly sealedUrl: string;
  readonly description?: string;
}

/** A key that signs deliveries, sealed under the data key of the webhook. */
export interface SigningSecret {
  readonly sealed: string;
  /** RFC 3339; absent for the one that is current. */
  readonly expiresAt?: string;
}

export const pauseReasons = ['requested', 'gone', 'failing'] as const;
/** `requested` by a caller, `gone` as the receiver said (410), `failing` for a long time without a success. */
export type PauseReason = (typeof pauseReasons)[number];

export interface Pause {
  readonly reason: PauseReason;
  /** RFC 3339 */
  readonly at: string;
  /** What the receiver did last, in words of the delivery log. */
  readonly lastFailure?: string;
}

export type WebhookEvent =
  | {
      readonly type: 'WebhookCreated';
      readonly content: WebhookContent;
      readonly secret: SigningSecret;
      /** RFC 3339 */
      readonly createdAt: string;
    }
  | { readonly type: 'WebhookChanged'; readonly content: WebhookContent }
  | { readonly type: 'WebhookSecretRotated'; readonly secrets: readonly SigningSecret[] }
  | ({ readonly type: 'WebhookPaused' } & Pause)
  | { readonly type: 'WebhookResumed' }
  | { readonly type: 'WebhookDeleted' };

export const webhookStatuses = ['Enabled', 'Paused'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export interface LiveWebhook {
  readonly status: WebhookStatus;
  /** RFC 3339 */
  readonly createdAt: string;
  readonly content: WebhookContent;
  /** The current one first. */
  readonly secrets: readonly SigningSecret[];
  /** Present exactly while it is paused. */
  readonly pause?: Pause;
  /** Lists filter by equality: a deleted webhook lacks this member and so is in none of them. */
  readonly listed: 'yes';
}

export type Webhook = LiveWebhook | { readonly status: 'Deleted' };

/** @param now RFC 3339 */
export function createWebhook(content: WebhookContent, secret: SigningSecret, now: string): WebhookEvent[] {
  return [{ type: 'WebhookCreated', content, secret, createdAt: now }];
}

/** @param content the whole of it; unchanged parts are the same objects. @param status unchanged when absent. @param now RFC 3339 */
export function changeWebhook(
  webhook: LiveWebhook,
  content: WebhookContent,
  status: WebhookStatus | undefined,
  now: string,
): WebhookEvent[] {
  const changed: WebhookEvent[] = isSame(webhook.content, content) ? [] : [{ type: 'WebhookChanged', content }];
  if (status === undefined || status === webhook.status) return changed;
  switch (status) {
    case 'Enabled':
      return [...changed, { type: 'WebhookResumed' }];
    case 'Paused':
      return [...changed, { type: 'WebhookPaused', reason: 'requested', at: now }];
  }
}

/** The service gives a receiver up; nothing happens when it is paused or deleted. */
export function giveUp(webhook: Webhook | undefined, pause: Pause): WebhookEvent[] {
  return webhook?.status === 'Enabled' ? [{ type: 'WebhookPaused', ...pause }] : [];
}

/** The former current secret signs as well until `until`, and an older one no longer. @param until RFC 3339 */
export function rotateSecret(webhook: LiveWebhook, secret: SigningSecret, until: string): WebhookEvent[] {
  const [former] = webhook.secrets;
  const kept = former ? [{ sealed: former.sealed, expiresAt: until }] : [];
  return [{ type: 'WebhookSecretRotated', secrets: [secret, ...kept] }];
}

export function deleteWebhook(): WebhookEvent[] {
  return [{ type: 'WebhookDeleted' }];
}

/** Those that sign at a time, the current one first. */
export function liveSecrets({ secrets }: LiveWebhook, now: Date): readonly SigningSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now.getTime());
}

export function evolveWebhook(webhook: Webhook | undefined, event: WebhookEvent): Webhook {
  if (event.type === 'WebhookCreated') {
    const { content, secret, createdAt } = event;
    return { status: 'Enabled', createdAt, content, secrets: [secret], listed: 'yes' };
  }
  if (!webhook || webhook.status === 'Deleted') throw new Error(`a webhook that is not there: ${event.type}`);
  switch (event.type) {
    case 'WebhookChanged':
      return { ...webhook, content: event.content };
    case 'WebhookSecretRotated':
      return { ...webhook, secrets: event.secrets };
    case 'WebhookPaused': {
      const { type: _type, ...pause } = event;
      return { ...webhook, status: 'Paused', pause };
    }
    case 'WebhookResumed': {
      const { pause: _pause, ...resumed } = webhook;
      return { ...resumed, status: 'Enabled' };
    }
    case 'WebhookDeleted':
      return { status: 'Deleted' };
  }
}

export const webhookAggregate: Aggregate<Webhook, WebhookEvent> = { category: 'webhook', evolve: evolveWebhook };

/** Injection token of the webhooks' repository. */
export const WEBHOOKS = Symbol('WEBHOOKS');

/** @throws Problem `webhook-not-found` */
export function live(webhook: Webhook | undefined, webhookId: string): LiveWebhook {
  if (webhook && webhook.status !== 'Deleted') return webhook;
  throw new Problem('webhook-not-found', `There is no webhook with the id ${webhookId}.`);
}

function isSame(one: WebhookContent, other: WebhookContent): boolean {
  return (
    one.sealedUrl === other.sealedUrl &&
    one.description === other.description &&
    one.subject === other.subject &&
    one.types.length === other.types.length &&
    one.types.every((type, place) => type === other.types[place])
  );
}
