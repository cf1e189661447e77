// First: HTTP and the database are changed for traces while they are loaded.
import { stopTraces } from './preload';
import 'reflect-metadata';
import { DevelopmentKey } from '@app/access';
import { Settings, SettingsError } from '@app/config';
import { connectionRemedy } from '@app/event-store';
import { Listeners, stopGracefully, stopOnSignals } from '@app/http';
import { MetricsListener } from '@app/observability';
import { Logger } from '@nestjs/common';
import { announce } from './greeting';
import { createServer } from './http';

async function start(): Promise<void> {
  const starting = createServer({ thread: true });
  stopOnSignals(async () => {
    // A failed start leaves nothing to stop; its reason is printed below.
    await starting.then(stopGracefully, () => undefined);
    await stopTraces();
  });
  const app = await starting;
  const ports = await app.get(Listeners).open();
  const { text: developmentKey } = app.get(DevelopmentKey);
  announce(app.get(Settings), { ...ports, metricsPort: app.get(MetricsListener).port, developmentKey });
}

// Node would print the error with its message and members, and with them request data.
process.on('uncaughtException', (error) => {
  Logger.flush();
  new Logger('Process').fatal({ event: 'process.failed', err: error });
  process.exit(1);
});

start().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
  // A half-opened database must not keep the process alive.
  setTimeout(() => process.exit(), 1000).unref();
});

/** Errors of settings, database and key store say what is wrong and what to do; a stack would hide it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
  if (isBug) return error.stack ?? error.message;
  const hint =
    error instanceof SettingsError ? 'To try it without any settings: npm run start:dev' : connectionRemedy(error);
  return hint === undefined ? error.message : `${error.message}\n${hint}`;
}
