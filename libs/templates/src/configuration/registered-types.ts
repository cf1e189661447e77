import { Metrics } from '@app/observability';
import { typesOfConfiguration } from '@app/openid4vc';
import { isIssuable, OwnRegistrations } from '@app/registration';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ListCredentialConfigurations } from '../api';
import { isFormatKnown, type IssuableConfiguration } from './credential-configuration';

/** Which kinds of credentials the issuer is registered to issue: wallets warn of others, or refuse them. */
@Injectable()
export class RegisteredTypes implements OnModuleInit {
  constructor(
    private readonly queries: QueryBus,
    private readonly registrations: OwnRegistrations,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.readUnregistered(() => this.unregistered());
  }

  /** Whether one is registered; undefined while nothing says what is, and for a format that is not known here. */
  isRegistered(configuration: IssuableConfiguration): boolean | undefined {
    const registered = this.registrations.attestations();
    if (!registered || !isFormatKnown(configuration)) return undefined;
    return isIssuable({ format: configuration.format, types: typesOfConfiguration(configuration) }, registered);
  }

  private async unregistered(): Promise<number> {
    const configurations = await this.queries.execute(new ListCredentialConfigurations());
    return configurations.filter((one) => this.isRegistered(one) === false).length;
  }
}
