import { StatusRefusal } from '@app/credentials';
import type { AttestationStatuses } from '@app/identity';
import { Logger } from '@nestjs/common';
import type { RegistrationCertificate } from '../certificate/registration-certificate';
import type { VerifiedRegistration } from '../certificate/verified-certificate';

const minute = 60_000;
/** From look to look, so that a failure leaves time for others within a day. */
const every = 12 * 60 * minute;
const afterFailure = 10 * minute;
/** Without a statement of the registrar operators are warned more loudly. */
const longestUnknown = 24 * 60 * minute;

/** `none`: the registrar gave it no status. */
export const registrationStatuses = ['valid', 'suspended', 'revoked', 'undetermined', 'none'] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

export interface LookedUp {
  readonly status: RegistrationStatus;
  /** When the registrar last stated one. */
  readonly statedAt?: Date;
}

interface Look extends LookedUp {
  /** When it was first asked for, in ms. */
  readonly since: number;
  /** When to ask again, in ms. */
  readonly due: number;
}

/** What registrars say of the certificates that they issued, by their status lists. */
export class RegistrationStatuses {
  private readonly logger = new Logger('Registration');
  private looks: ReadonlyMap<string, Look> = new Map();

  constructor(private readonly statuses: AttestationStatuses) {}

  of({ compact, status }: RegistrationCertificate): LookedUp {
    if (status === undefined) return { status: 'none' };
    return this.looks.get(compact) ?? { status: 'undetermined' };
  }

  /** Asks for those that are due, and forgets all others than these. @returns whether any has changed */
  async look(certificates: readonly VerifiedRegistration[], now: Date): Promise<boolean> {
    const before = this.looks;
    const stated = certificates.filter(({ status }) => status !== undefined);
    const looks = await Promise.all(
      stated.map(async (one) => [one.compact, await this.lookAt(one, before.get(one.compact), now)] as const),
    );
    this.looks = new Map(looks);
    return looks.some(([compact, { status }]) => before.get(compact)?.status !== status);
  }

  /** Asks for all of them at the next look. */
  forget(): void {
    this.looks = new Map([...this.looks].map(([compact, look]) => [compact, { ...look, due: 0 }]));
  }

  private async lookAt(certificate: VerifiedRegistration, last: Look | undefined, now: Date): Promise<Look> {
    const time = now.getTime();
    if (last && last.due > time) return last;
    const since = last?.since ?? time;
    try {
      const { status = null, anchor } = certificate;
      await this.statuses.checkOne('registrar', status, { anchor }, now);
      return { status: 'valid', since, statedAt: now, due: time + every };
    } catch (refusal) {
      if (!(refusal instanceof StatusRefusal)) throw refusal;
      const { status } = refusal;
      if (status !== 'undetermined') {
        const event = 'registration.revoked';
        if (last?.status !== status)
          this.logger.error({ event, reason: status }, 'A registration certificate has ended');
        return { status, since, statedAt: now, due: time + every };
      }
      // What was stated once stands, until somebody says otherwise; never that it is good for longer than a day.
      const isEnded = last?.status === 'revoked' || last?.status === 'suspended';
      this.warn(refusal.message, time - (last?.statedAt?.getTime() ?? since) > longestUnknown);
      return {
        status: isEnded ? last.status : 'undetermined',
        since,
        ...(last?.statedAt && { statedAt: last.statedAt }),
        due: time + afterFailure,
      };
    }
  }

  private warn(reason: string, isLong: boolean): void {
    const fields = { event: 'registration.undetermined', reason };
    if (isLong) this.logger.error(fields, 'The status of a registration certificate is unknown for more than a day');
    else this.logger.warn(fields, 'The status of a registration certificate cannot be determined');
  }
}
