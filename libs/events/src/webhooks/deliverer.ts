import type { SqlSession } from '@app/event-store';
import { type EventCounter, Metrics } from '@app/observability';
import { OutboundClient } from '@app/outbound';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { type Delivery, DeliveryTable } from './delivery-table';
import { ReceiverTable } from './receiver-table';
import { Replays } from './replays';
import { givenUpAfter, givenUpFailures, holdAfter, pauseAfter } from './schedule';
import { type SentDelivery, sendTo, type Target } from './sender';
import { giveUp, type PauseReason } from './webhook';
import { TenantPlaces } from './tenant-places';
import { WEBHOOK_CLOCK, type WebhookClock } from './webhook-clock';
import { WebhookRecords } from './webhook-records';

/** Attempts to deliver, which leave no events. */
export const deliveryCounter: EventCounter = {
  category: 'webhook_delivery',
  name: 'webhook_deliveries_total',
  help: 'Attempts to send an event to a webhook, by outcome; dead: the last attempt has failed',
  series: [{ outcome: 'delivered' }, { outcome: 'failed' }, { outcome: 'dead' }],
  seriesOf: () => undefined,
};

/** Requests to one receiver at a time, each for another subject. */
const concurrency = 4;
const batchSize = 100;
/** Milliseconds for an answer. */
const patience = 10_000;
/** Milliseconds after which an unused place looks for events that came while others were being sent. */
const lookAgain = 1_000;
/** Milliseconds for which the URL and the secrets of a webhook are used without looking again. */
const targetAge = 1_000;

/** One process at a time serves a webhook: what it has under way. */
interface Service {
  readonly webhookId: string;
  readonly session: SqlSession;
  readonly deliveries: DeliveryTable;
  readonly receivers: ReceiverTable;
  readonly signal: AbortSignal;
  target: Target;
  readAt: number;
  /** By subject. */
  readonly running: Map<string, Promise<void>>;
  sent: number;
  /** Nothing more is to be sent for now. */
  isOver: boolean;
  mayHaveFailed: boolean;
}

/** Sends what waits for one webhook, until nothing can be sent for the moment. */
@Injectable()
export class Deliverer {
  private readonly logger = new Logger('Webhooks');
  private readonly places = new TenantPlaces();
  private stopping = false;

  constructor(
    private readonly records: WebhookRecords,
    private readonly replays: Replays,
    private readonly outbound: OutboundClient,
    private readonly metrics: Metrics,
    @Inject(WEBHOOK_CLOCK) private readonly clock: WebhookClock,
  ) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Begins no further requests. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * @param session the one that has the lock. It does all the work of deliveries, which so takes no connection from requests
   * @param signal ends requests under way
   * @returns how many events were received
   */
  async serve(webhookId: string, session: SqlSession, signal: AbortSignal): Promise<number> {
    const target = await this.records.target(webhookId);
    if (!target) return 0;
    const service: Service = {
      ...{ webhookId, session, signal, target, readAt: performance.now(), running: new Map() },
      ...{ deliveries: new DeliveryTable(session), receivers: new ReceiverTable(session) },
      ...{ sent: 0, isOver: false, mayHaveFailed: true },
    };
    try {
      await this.sendAll(service);
    } finally {
      await Promise.allSettled(service.running.values());
    }
    return service.sent;
  }

  private async sendAll(service: Service): Promise<void> {
    const { webhookId, running } = service;
    let waiting: Delivery[][] = [];
    while (this.goesOn(service)) {
      if (waiting.length === 0) waiting = await this.due(service);
      if (waiting.length === 0 && running.size === 0 && !(await this.replays.goOn(webhookId, service.session))) return;
      while (running.size < concurrency && waiting.length > 0 && this.places.take()) {
        this.begin(service, waiting.shift() ?? []);
      }
      if (waiting.length > 0 && running.size < concurrency) await nextPlace(running, this.places.released());
      else if (running.size > 0) await nextPlace(running);
      await this.readAgain(service, webhookId);
    }
  }

  private goesOn(service: Service): boolean {
    return !this.stopping && !service.isOver && service.session.isAlive();
  }

  /** By subject, in the order in which they became due. */
  private async due({ webhookId, deliveries, running }: Service): Promise<Delivery[][]> {
    const found = await deliveries.due(webhookId, this.clock(), [...running.keys()], batchSize);
    const bySubject = new Map<string, Delivery[]>();
    for (const delivery of found) {
      const others = bySubject.get(delivery.subject);
      if (others) others.push(delivery);
      else bySubject.set(delivery.subject, [delivery]);
    }
    return [...bySubject.values()];
  }

  private begin(service: Service, deliveries: readonly Delivery[]): void {
    const [first] = deliveries;
    if (!first) {
      this.places.release();
      return;
    }
    const work = this.sendInOrder(service, deliveries)
      .catch((error: unknown) => {
        service.isOver = true;
        this.logger.warn({ event: 'webhooks.failed', reason: error instanceof Error ? error.name : 'unknown' });
      })
      .finally(() => {
        service.running.delete(first.subject);
        this.places.release();
      });
    service.running.set(first.subject, work);
  }

  /** The events of one subject: after one that failed, the others wait. */
  private async sendInOrder(service: Service, deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      if (!this.goesOn(service) || !(await this.send(service, delivery))) return;
    }
  }

  private async send(service: Service, delivery: Delivery): Promise<boolean> {
    const { webhookId, target, signal } = service;
    const sent = await sendTo(this.outbound, target, delivery, { now: this.clock(), timeoutMs: patience, signal });
    if (!sent) {
      service.isOver = true;
      return false;
    }
    if (!sent.isSuccess) {
      await this.failed(service, delivery, sent);
      return false;
    }
    await service.deliveries.delivered(webhookId, delivery.eventId, sent.attempt);
    this.metrics.count(deliveryCounter, { outcome: 'delivered' });
    service.sent++;
    if (service.mayHaveFailed) await service.receivers.succeeded(webhookId);
    service.mayHaveFailed = false;
    return true;
  }

  private async failed(service: Service, delivery: Delivery, { attempt, isGone, wish }: SentDelivery): Promise<void> {
    const { webhookId } = service;
    const now = this.clock();
    service.mayHaveFailed = true;
    const lastFailure = attempt.status === undefined ? (attempt.failure ?? '') : `status ${attempt.status}`;
    const pause = pauseAfter(delivery.attempts + 1, Math.random(), wish);
    // A receiver that is gone, or that is given up, keeps what waits for it.
    const failures = await service.receivers.failed(webhookId, now);
    if (!failures) return void (service.isOver = true);
    const isGivenUp = failures.count >= givenUpFailures && now.getTime() - failures.since.getTime() >= givenUpAfter;
    const isKept = isGone || isGivenUp;
    const next = pause === undefined && !isKept ? undefined : new Date(now.getTime() + (pause ?? 0));
    await service.deliveries.failed(webhookId, delivery.eventId, attempt, next);
    this.metrics.count(deliveryCounter, { outcome: next ? 'failed' : 'dead' });
    this.logger.debug({ event: 'webhook.delivery-failed', webhookId, failure: lastFailure });
    if (!next) this.logger.warn({ event: 'webhook.delivery-dead', webhookId, eventId: delivery.eventId });
    const hold = holdAfter(failures.count, Math.random(), wish);
    if (hold > 0) {
      service.isOver = true;
      await service.receivers.hold(webhookId, new Date(now.getTime() + hold));
    }
    if (isKept) await this.pause(service, isGone ? 'gone' : 'failing', lastFailure, now);
  }

  private async pause(service: Service, reason: PauseReason, lastFailure: string, now: Date): Promise<void> {
    const { webhookId } = service;
    service.isOver = true;
    await this.records.decide(webhookId, (webhook) => giveUp(webhook, { reason, at: now.toISOString(), lastFailure }));
    this.logger.warn({ event: 'webhook.paused', webhookId, reason, lastFailure });
  }

  private async readAgain(service: Service, webhookId: string): Promise<void> {
    if (performance.now() - service.readAt < targetAge) return;
    const target = await this.records.target(webhookId);
    if (!target) return void (service.isOver = true);
    service.target = target;
    service.readAt = performance.now();
  }
}

/** Until a request has ended, or, with fewer than there may be, until it is time to look for more. */
async function nextPlace(running: ReadonlyMap<string, Promise<void>>, released?: Promise<void>): Promise<void> {
  const ended = Promise.race([...running.values(), ...(released ? [released] : [])]);
  if (running.size >= concurrency) return ended;
  const waiting = new AbortController();
  const look = delay(lookAgain, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([ended, look]);
  waiting.abort();
}
