import { Settings, SettingsModule } from '@app/config';
import { NestFactory } from '@nestjs/core';

/** The settings the service would have in this place. Rejects with a `SettingsError` that lists every fault. */
export async function readSettings(): Promise<Settings> {
  const context = await NestFactory.createApplicationContext(SettingsModule.forRoot(), {
    logger: false,
    abortOnError: false,
  });
  const settings = context.get(Settings);
  await context.close();
  return settings;
}
