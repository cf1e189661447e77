import { Settings } from '@app/config';
import { type INestApplication, Logger } from '@nestjs/common';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Listeners } from './listeners';
import { ServiceState } from './service-state';

/** For requests in flight once the listeners are closed; with a drain of two seconds everything stays within ten. */
const answering = 6000;
/** For the database and everything else. */
const closing = 1500;
/** Ctrl-C reaches the process from the terminal and, under `npm start`, again from npm. */
const oneSignal = 1000;

/**
 * Stops the service without a failed request: readiness turns false, load balancers get time to notice, the listeners
 * close, requests in flight are answered, then the database connections close. Takes no longer than its limits add up to.
 */
export async function stopGracefully(app: INestApplication): Promise<void> {
  const logger = new Logger('Stop');
  const { drainSeconds } = app.get(Settings).http;
  const listeners = app.get(Listeners);
  logger.log({ event: 'service.stopping', drainSeconds });
  app.get(ServiceState).stop();
  listeners.endConnections();
  await delay(drainSeconds * 1000);
  const cut = await listeners.close(answering);
  if (cut > 0) logger.warn({ event: 'connections.cut', connections: cut });
  const closed = await Promise.race([app.close().then(() => true), delay(closing, false)]);
  if (!closed) logger.warn({ event: 'service.closed-halfway' });
}

/**
 * Runs `stop` on the first signal to end, and then exits. A signal that comes a second or more after the first one exits
 * at once: as the first process of a container it has no default action for signals.
 */
export function stopOnSignals(stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stoppingSince !== undefined) {
        if (performance.now() - stoppingSince >= oneSignal) process.exit(128 + constants.signals[signal]);
        return;
      }
      stoppingSince = performance.now();
      stop()
        .catch((error: unknown) => {
          new Logger('Stop').error({ event: 'service.stop-failed', err: error });
        })
        .finally(() => process.exit(0));
    });
  }
}
