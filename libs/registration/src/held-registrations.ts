import type { Repository } from '@app/event-store';
import { CertificateFault, type OwnCertificates, type SourceFault, type TrustAnchors } from '@app/identity';
import { Logger } from '@nestjs/common';
import { faultOfTimes } from './certificate/registration-certificate';
import {
  faultOfParty,
  identifiersOf,
  type OwnIdentifiers,
  type VerifiedRegistration,
  verifiedCertificate,
} from './certificate/verified-certificate';
import type { RegistrationDirectory } from './sources/registration-directory';
import type { LookedUp, RegistrationStatuses } from './sources/registration-statuses';
import { type StoredCertificate, type StoredCertificateEvent, storedCertificates } from './sources/stored-certificate';

/** How soon what another replica stored is seen. */
const listEveryMs = 10_000;

export const registrationStates = ['valid', 'expired', 'suspended', 'revoked', 'refused'] as const;
type RegistrationState = (typeof registrationStates)[number];

export type RegistrationFault = Pick<SourceFault, 'found' | 'remedy'>;

interface Held {
  /** The name of the file, or the id in the management API. */
  readonly certificateId: string;
  readonly source: 'file' | 'api';
  /** Absent when it cannot be read, or its signature is not that of a registrar. */
  readonly certificate?: VerifiedRegistration;
  /** Of what is there now; the certificate may be the one before. */
  readonly fault?: RegistrationFault;
}

/** A registration certificate as it stands at a time. */
export interface ShownRegistration extends Held {
  readonly state: RegistrationState;
  readonly looked?: LookedUp;
}

/** What registrations are read from, and compared with. */
export interface RegistrationSources {
  readonly directory: RegistrationDirectory;
  readonly records: Repository<StoredCertificate, StoredCertificateEvent>;
  readonly statuses: RegistrationStatuses;
  /** Of the issuer that they are about. */
  readonly own: OwnCertificates;
  readonly anchors: TrustAnchors;
  /** How often the anchors have changed. */
  readonly trustChanges: () => number;
}

/** The registration certificates of one issuer, kept in memory: files, and those of the management API. */
export class HeldRegistrations {
  private readonly logger = new Logger('Registration');
  private stored: ReadonlyMap<string, string> = new Map();
  private held: readonly Held[] = [];
  /** What was last good, by certificate id. */
  private readonly good = new Map<string, string>();
  private identifiers: OwnIdentifiers = {};
  private listedAt = 0;
  private isStale = false;
  private trustSeen = 0;
  private reading: Promise<void> | undefined;
  private looking: Promise<void> | undefined;

  constructor(private readonly sources: RegistrationSources) {}

  get isEmpty(): boolean {
    return this.held.length === 0;
  }

  all(now: Date): readonly ShownRegistration[] {
    return this.held.map((one) => this.shown(one, now));
  }

  ownIdentifiers(now: Date): OwnIdentifiers {
    return identifiersOf(this.sources.own, now);
  }

  /** Reads everything anew, as happens from time to time, statuses included. Never rejects. */
  async reload(): Promise<void> {
    // What is under way has perhaps read before the change.
    await this.settled();
    this.isStale = true;
    this.sources.statuses.forget();
    await this.refresh(true);
    await this.settled();
  }

  private async settled(): Promise<void> {
    while (this.reading ?? this.looking) await (this.reading ?? this.looking);
  }

  /** Reads what changed, and begins to ask for the statuses that are due. Never rejects. */
  refresh(isAtOnce: boolean): Promise<void> {
    this.reading ??= this.readChanges(isAtOnce)
      .catch(this.unread)
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }

  private readonly unread = (err: unknown): void => {
    this.logger.error({ event: 'registration.unread', err }, 'The registration certificates could not be read');
  };

  private async readChanges(isAtOnce: boolean): Promise<void> {
    const now = new Date();
    const { directory, statuses } = this.sources;
    const trustChanges = this.sources.trustChanges();
    const isTrustNew = trustChanges !== this.trustSeen;
    const changes = [await directory.read(), await this.list(now, isAtOnce), this.renameSelf(now)];
    if (changes.includes(true) || isTrustNew || this.isStale) {
      this.trustSeen = trustChanges;
      this.isStale = false;
      this.evaluate(now);
    }
    const certificates = this.held.flatMap(({ certificate }) => certificate ?? []);
    this.looking ??= statuses
      .look(certificates, now)
      .then(() => undefined, this.unread)
      .finally(() => {
        this.looking = undefined;
      });
  }

  private shown(held: Held, now: Date): ShownRegistration {
    const { certificate } = held;
    if (!certificate) return { ...held, state: 'refused' };
    const looked = this.sources.statuses.of(certificate);
    const shown = { ...held, looked };
    const fault = faultOfParty(certificate, this.identifiers) ?? faultOfTimes(certificate, now);
    if (fault) {
      const isOver = certificate.expiresAt !== undefined && certificate.expiresAt <= now;
      return { ...shown, state: isOver ? 'expired' : 'refused', fault: held.fault ?? fault };
    }
    const { status } = looked;
    return { ...shown, state: status === 'revoked' || status === 'suspended' ? status : 'valid' };
  }

  private async list(now: Date, isAtOnce: boolean): Promise<boolean> {
    if (!isAtOnce && now.getTime() - this.listedAt < listEveryMs) return false;
    this.listedAt = now.getTime();
    // While the database does not answer, which others say, those of before stand.
    const stored = await storedCertificates(this.sources.records).catch(() => undefined);
    if (!stored) return false;
    const before = [...this.stored.keys()].join();
    this.stored = stored;
    return before !== [...this.stored.keys()].join();
  }

  /** Access certificates may be installed while the service runs. */
  private renameSelf(now: Date): boolean {
    const { requests, metadata } = this.identifiers;
    this.identifiers = this.ownIdentifiers(now);
    return requests !== this.identifiers.requests || metadata !== this.identifiers.metadata;
  }

  private evaluate(now: Date): void {
    const { directory } = this.sources;
    const files = [...directory.files].map(([name, text]) => this.examine(name, 'file', text, now));
    const unread = directory.faults.filter(({ source }) => !directory.files.has(source));
    this.held = [
      ...files,
      ...unread.map(({ source, ...fault }): Held => ({ certificateId: source, source: 'file', fault })),
      ...[...this.stored].map(([id, text]) => this.examine(id, 'api', text, now)),
    ];
    for (const id of this.good.keys()) {
      if (!this.held.some(({ certificateId }) => certificateId === id)) this.good.delete(id);
    }
    for (const { certificateId, source, fault } of this.all(now)) {
      if (!fault) continue;
      const at = source === 'file' ? certificateId : 'the management API';
      const reason = `${fault.found}; ${fault.remedy}`;
      this.logger.warn({ event: 'registration.faulty', source: at, reason }, 'A registration certificate has a fault');
    }
  }

  /** A file that was torn, or put in place too early, leaves the one before in use. */
  private examine(certificateId: string, source: Held['source'], text: string, now: Date): Held {
    const registrars = this.sources.anchors.find('registrar');
    let fault: RegistrationFault | undefined;
    for (const one of new Set([text, this.good.get(certificateId) ?? text])) {
      try {
        const certificate = verifiedCertificate(one, registrars, now);
        this.good.set(certificateId, one);
        return { certificateId, source, certificate, ...(fault && { fault }) };
      } catch (error) {
        if (!(error instanceof CertificateFault)) throw error;
        fault ??= { found: error.found, remedy: error.remedy };
      }
    }
    return { certificateId, source, ...(fault && { fault }) };
  }
}
