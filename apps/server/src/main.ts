import 'reflect-metadata';
import { Settings } from '@app/config';
import { ConsoleLogger } from '@nestjs/common';
import { createServer } from './http';
import { greeting } from './greeting';

async function start(): Promise<void> {
  const app = await createServer({ logger: new ConsoleLogger({ logLevels: ['fatal', 'error', 'warn'] }) });
  app.enableShutdownHooks();
  const settings = app.get(Settings);
  await app.listen(settings.http.port);
  process.stdout.write(greeting(settings));
}

start().catch((error: unknown) => {
  // Settings, database and key store say in their message what is wrong and what to do; a stack would hide it.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  // A half-opened database must not keep the process alive.
  setTimeout(() => process.exit(), 1000).unref();
});
