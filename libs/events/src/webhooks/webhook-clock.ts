/** What time it is for webhooks: the database's clock, so that all processes agree. */
export type WebhookClock = () => Date;

/** Injection token of the {@link WebhookClock}. */
export const WEBHOOK_CLOCK = Symbol('WEBHOOK_CLOCK');
