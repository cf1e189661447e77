import { Metrics } from '@app/observability';
import { typesOfConfiguration } from '@app/openid4vc';
import { isIssuable, OwnRegistrations } from '@app/registration';
import { isFormatKnown, ListCredentialConfigurations } from '@app/templates';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

/** Counts what is offered beyond the registration of the issuer: wallets warn of it, or refuse it. */
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

  /** 0 while nothing says what is registered. */
  private async unregistered(): Promise<number> {
    const registered = this.registrations.attestations();
    if (!registered) return 0;
    const configurations = await this.queries.execute(new ListCredentialConfigurations());
    return configurations
      .filter(isFormatKnown)
      .filter((one) => !isIssuable({ format: one.format, types: typesOfConfiguration(one) }, registered)).length;
  }
}
