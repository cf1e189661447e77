import { OwnRegistrations } from '@app/registration';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';

/** The registration certificates of this service, as a part of readiness where there are any. */
@Injectable()
export class RegistrationReadiness {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly registrations: OwnRegistrations,
  ) {}

  /** Never down: all replicas have the same ones, and wallets are served without. */
  check(): HealthIndicatorResult[] {
    const all = this.registrations.all();
    if (all.length === 0) return [];
    const states = [...new Set(all.map(({ state }) => state))].filter((state) => state !== 'valid');
    const torn = all.some(({ state, fault }) => state === 'valid' && fault !== undefined);
    const unknown = all.some(({ state, looked }) => state === 'valid' && looked?.status === 'undetermined');
    const warnings = [
      ...(states.length > 0 ? [`some are not sent: ${states.join(', ')}`] : []),
      ...(torn ? ['a file has a fault, and the one before is sent'] : []),
      ...(unknown ? ['a status cannot be determined'] : []),
    ];
    const valid = all.filter(({ state }) => state === 'valid').length;
    return [this.indicators.check('registration').up({ valid, ...(warnings.length > 0 && { warnings }) })];
  }
}
