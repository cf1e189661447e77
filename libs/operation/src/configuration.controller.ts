import { effectiveSettings, Settings } from '@app/config';
import { Described } from '@app/openapi';
import { RequiresScope } from '@app/web';
import { Controller, Get } from '@nestjs/common';
import { configurationDescription } from './configuration.openapi';

/** What the operator of a running service asks first: which settings are in force? */
@Controller('v0/configuration')
@Described(configurationDescription)
export class ConfigurationController {
  constructor(private readonly settings: Settings) {}

  @Get()
  @RequiresScope('configuration:read')
  show(): Record<string, unknown> {
    return effectiveSettings(this.settings);
  }
}
