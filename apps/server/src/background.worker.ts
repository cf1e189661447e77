// First: HTTP and the database are changed for traces while they are loaded.
import { stopTraces } from './preload';
import 'reflect-metadata';
import { EventStore } from '@app/event-store';
import { countedIn, ServiceLogger } from '@app/observability';
import { NestFactory } from '@nestjs/core';
import { Registry } from 'prom-client';
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from './background-thread';
import { ServerModule } from './server.module';

/** The service without listeners. What there is to say about its settings and its database the other thread has said. */
async function work(port: NonNullable<typeof parentPort>): Promise<void> {
  const app = await NestFactory.createApplicationContext(ServerModule.forRoot(undefined, 'background'), {
    abortOnError: false,
    logger: false,
  });
  app.useLogger(app.get(ServiceLogger));
  const answers = {
    lags: () => app.get(EventStore).addedLagsNow(),
    counted: () => countedIn(app.get(Registry)),
    stop: () => app.close().then(stopTraces),
  };
  port.on('message', ({ id, asked }: Question) => {
    void answers[asked]().then((answer) => {
      port.postMessage({ id, answer } satisfies Answer);
    });
  });
}

if (parentPort) void work(parentPort);
