import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { existsSync } from 'node:fs';
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
    return {
      module: SettingsModule,
      global: true,
      providers: [{ provide: Settings, useFactory: () => loadSettings(environment ?? processEnvironment()) }],
      exports: [Settings],
    };
  }

  onModuleInit(): void {
    for (const warning of settingsWarnings(this.settings)) this.logger.warn(warning);
  }
}

/** Variables that are set already take precedence over those of `.env`. */
function processEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
