import { SettingsModule } from '@app/config';
import { PublicEndpoint } from '@app/web';
import { Controller, Get, Module } from '@nestjs/common';
import 'reflect-metadata';
import { createHttpApplication } from '../../apps/server/src/http';
import { HttpModule } from '../../apps/server/src/http.module';

@Controller('empty')
@PublicEndpoint('everyone')
class EmptyController {
  @Get()
  get(): object {
    return {};
  }
}

/** The baseline: an endpoint that does nothing behind everything that each request of the product passes. */
@Module({ imports: [SettingsModule.forRoot(), HttpModule], controllers: [EmptyController] })
class EmptyModule {}

async function start(): Promise<void> {
  const app = await createHttpApplication(EmptyModule, false);
  await app.listen(Number(process.env['SERVICE__HTTP__PORT']), '127.0.0.1');
  process.stdout.write('ready\n');
}

void start();
