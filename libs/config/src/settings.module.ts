import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ConfigModule, registerAs } from '@nestjs/config';
import type { Environment } from './environment';
import { loadSettings } from './load-settings';
import { settingsWarnings } from './rules';
import { Settings } from './settings';

/** Gives `Settings` to the whole application. A start with wrong settings rejects with a `SettingsError`. */
@Module({})
export class SettingsModule implements OnModuleInit {
  private readonly logger = new Logger('Settings');

  constructor(private readonly settings: Settings) {}

  /** Reads the process's environment and `.env`, or exactly the environment a test gives. */
  static forRoot(environment?: Environment): DynamicModule {
    const source = registerAs('settings', () => loadSettings(environment ?? process.env));
    return {
      module: SettingsModule,
      global: true,
      imports: [ConfigModule.forRoot({ load: [source], ignoreEnvFile: environment !== undefined })],
      providers: [{ provide: Settings, useFactory: (settings: Settings) => settings, inject: [source.KEY] }],
      exports: [Settings],
    };
  }

  onModuleInit(): void {
    for (const warning of settingsWarnings(this.settings)) this.logger.warn(warning);
  }
}
