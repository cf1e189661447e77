import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import type { Environment } from './environment';
import { loadSettings } from './load-settings';
import { settingsWarnings } from './rules';
import { Settings } from './settings';
import { settingsAtHand } from './tenant-settings';

/** What `ConfigService` keeps of a valid environment, besides its variables. */
interface Validated {
  readonly settings: Settings;
}

/** Gives `Settings` to the whole application. A start with wrong settings rejects with a `SettingsError`. */
@Module({})
export class SettingsModule implements OnModuleInit {
  private readonly logger = new Logger('Settings');

  constructor(private readonly settings: Settings) {}

  /** Reads the process's environment and `.env`, or exactly the environment a test gives. */
  static forRoot(environment?: Environment): DynamicModule {
    const config = ConfigModule.forRoot({
      cache: true,
      ...(environment && { ignoreEnvFile: true, validatePredefined: false }),
      // Variables that are set already take precedence over those of `.env`, which the process gets as well.
      validate: (variables: Environment) => ({ ...variables, settings: loadSettings(environment ?? variables) }),
    });
    // Wrong settings are reported where the module is awaited, which may be later.
    config.catch(() => undefined);
    return {
      module: SettingsModule,
      global: true,
      imports: [config],
      providers: [
        {
          provide: Settings,
          inject: [ConfigService],
          useFactory: (service: ConfigService<Validated, true>) => settingsAtHand(service.get<Settings>('settings')),
        },
      ],
      exports: [Settings],
    };
  }

  onModuleInit(): void {
    for (const warning of settingsWarnings(this.settings)) this.logger.warn(warning);
  }
}
