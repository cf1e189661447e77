import { effectiveSettings, Settings } from '@app/config';
import { Implements, Resource } from '@app/http';
import { configuration } from './configuration.contract';

/** Shows operators which settings are effective. */
@Resource(configuration)
export class ConfigurationController {
  constructor(private readonly settings: Settings) {}

  @Implements(configuration.show)
  show(): Record<string, unknown> {
    return effectiveSettings(this.settings);
  }
}
