import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import { CertificateFault, OwnCertificates, type SourceFault, TrustAnchors } from '@app/identity';
import { Metrics, type RegistrationFacts } from '@app/observability';
import type { DcqlQuery, VerifierInfo } from '@app/openid4vc';
import { currentTenant } from '@app/primitives/context';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { chooseRegistration } from './certificate/chosen-registration';
import type { RegisteredCredential } from './certificate/registered-credential';
import { registrarDataset } from './certificate/registrar-dataset';
import { compactIn, faultOfTimes, type RegistrationCertificate } from './certificate/registration-certificate';
import {
  faultOfParty,
  isOfIssuer,
  isOfVerifier,
  type OwnIdentifiers,
  type VerifiedRegistration,
  verifiedCertificate,
} from './certificate/verified-certificate';
import { RegistrationDirectory } from './sources/registration-directory';
import { type LookedUp, RegistrationStatuses } from './sources/registration-statuses';
import { STORED_CERTIFICATES, type StoredCertificate, type StoredCertificateEvent } from './sources/stored-certificate';

/** How soon a changed file is seen. */
const readEveryMs = 2_000;
/** How soon what another replica stored is seen. */
const listEveryMs = 10_000;
/** Of the management API. */
export const mostStored = 100;

export const registrationStates = ['valid', 'expired', 'suspended', 'revoked', 'refused'] as const;
type RegistrationState = (typeof registrationStates)[number];

type Fault = Pick<SourceFault, 'found' | 'remedy'>;

interface Held {
  /** The name of the file, or the id in the management API. */
  readonly certificateId: string;
  readonly source: 'file' | 'api';
  /** Absent when it cannot be read, or its signature is not that of a registrar. */
  readonly certificate?: VerifiedRegistration;
  /** Of what is there now; the certificate may be the one before. */
  readonly fault?: Fault;
}

/** A registration certificate as it stands at a time. */
export interface ShownRegistration extends Held {
  readonly state: RegistrationState;
  readonly looked?: LookedUp;
}

/** What a request says of the registration of its verifier. */
export interface RequestRegistration {
  /** For `verifier_info`: the certificate, and what is sent beside it. */
  readonly entries?: readonly VerifierInfo[];
  readonly warnings: readonly string[];
}

const certificateFormat = 'registration_cert';
const unregistered: RequestRegistration = { warnings: [] };

/** The registration certificates of this service, kept in memory: files, and those of the management API. */
@Injectable()
export class OwnRegistrations implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Registration');
  private readonly directory: RegistrationDirectory;
  private stored: ReadonlyMap<string, string> = new Map();
  private held: readonly Held[] = [];
  /** What was last good, by certificate id. */
  private readonly good = new Map<string, string>();
  private identifiers: OwnIdentifiers = {};
  private listedAt = 0;
  private isStale = false;
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly own: OwnCertificates,
    private readonly anchors: TrustAnchors,
    private readonly statuses: RegistrationStatuses,
    @Inject(STORED_CERTIFICATES) private readonly records: Repository<StoredCertificate, StoredCertificateEvent>,
    private readonly metrics: Metrics,
  ) {
    this.directory = new RegistrationDirectory(settings.registration.directory);
  }

  /** Never fails: without registration certificates wallets warn, and most do not ask for one yet. */
  async onModuleInit(): Promise<void> {
    await this.reload();
    this.anchors.onChange(() => {
      this.isStale = true;
    });
    this.metrics.readRegistration(() => factsOf(this.all(), new Date()));
    this.timer = setInterval(() => void this.refresh(false), readEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Reads everything anew, as happens from time to time. Never rejects. */
  async reload(): Promise<void> {
    await this.reading;
    this.isStale = true;
    this.statuses.forget();
    await this.refresh(true);
  }

  /** They are about the party of the settings: a tenant is another one. */
  private get ofAtHand(): readonly Held[] {
    return currentTenant() === undefined ? this.held : [];
  }

  all(now = new Date()): readonly ShownRegistration[] {
    return this.ofAtHand.map((one) => this.shown(one, now));
  }

  /** Why a certificate would not be used; undefined when it would. Throws `CertificateFault` when it cannot be read. */
  examined(given: string, now: Date): { readonly certificate: RegistrationCertificate; readonly fault?: Fault } {
    const certificate = verifiedCertificate(given, this.anchors.find('registrar'), now);
    const fault = faultOfTimes(certificate, now) ?? faultOfParty(certificate, this.ownIdentifiers(now));
    return { certificate, ...(fault && { fault }) };
  }

  /**
   * What goes with a query, in the name of the party that is registered for it.
   * @param intendedUseId the only one that covers the query when absent. Throws `request-not-registered`
   */
  forRequest(query: DcqlQuery, intendedUseId: string | undefined): RequestRegistration {
    // Most services have none.
    if (this.ofAtHand.length === 0 && intendedUseId === undefined) return unregistered;
    const usable = this.valid(isOfVerifier).map(({ certificateId, certificate }) => ({
      intendedUseId: certificate.intendedUseId ?? certificateId,
      certificate,
    }));
    const byUse = new Map(usable.map((one) => [one.intendedUseId, one]));
    const { overasking } = this.settings.registration;
    const { certificate, warnings } = chooseRegistration(query, [...byUse.values()], intendedUseId, overasking);
    return { warnings, ...(certificate && { entries: this.entriesOf(certificate, 'verifier') }) };
  }

  /** Whether what `forRequest` gave may still go to wallets: its certificate is there, has not ended and was not revoked. */
  areSent(entries: readonly VerifierInfo[]): boolean {
    return entries.every(
      ({ format, data }) =>
        format !== certificateFormat ||
        this.valid(isOfVerifier).some(({ certificate }) => certificate.compact === compactIn(String(data))),
    );
  }

  /** `issuer_info` of the metadata of the issuer, the certificate first; undefined without a certificate for it. */
  issuerInfo(): readonly VerifierInfo[] | undefined {
    const certificate = this.ofIssuer();
    return certificate && this.entriesOf(certificate, 'issuer');
  }

  /** What the issuer is registered to issue; undefined when it has no registration certificate. */
  attestations(): readonly RegisteredCredential[] | undefined {
    return this.ofIssuer()?.attestations;
  }

  private ofIssuer(): RegistrationCertificate | undefined {
    return this.ofAtHand.length === 0 ? undefined : this.valid(isOfIssuer).at(-1)?.certificate;
  }

  /** Those that may be sent, the latest last. */
  private valid(isMeant: (certificate: RegistrationCertificate) => boolean) {
    return this.all()
      .flatMap(({ certificateId, certificate, state }) =>
        certificate && state === 'valid' && isMeant(certificate) ? [{ certificateId, certificate }] : [],
      )
      .sort((one, other) => one.certificate.issuedAt.getTime() - other.certificate.issuedAt.getTime());
  }

  private entriesOf(certificate: RegistrationCertificate, use: 'verifier' | 'issuer'): readonly VerifierInfo[] {
    const { encoding, dataset } = this.settings.registration;
    const { compact } = certificate;
    const data = encoding === 'compact' ? compact : Buffer.from(compact).toString('base64url');
    const beside = dataset ? registrarDataset(certificate, use) : undefined;
    return [{ format: certificateFormat, data }, ...(beside ? [beside] : [])];
  }

  private shown(held: Held, now: Date): ShownRegistration {
    const { certificate } = held;
    if (!certificate) return { ...held, state: 'refused' };
    const looked = this.statuses.of(certificate);
    const shown = { ...held, looked };
    const fault = faultOfParty(certificate, this.identifiers) ?? faultOfTimes(certificate, now);
    if (fault) {
      const isOver = certificate.expiresAt !== undefined && certificate.expiresAt <= now;
      return { ...shown, state: isOver ? 'expired' : 'refused', fault: held.fault ?? fault };
    }
    const { status } = looked;
    return { ...shown, state: status === 'revoked' || status === 'suspended' ? status : 'valid' };
  }

  private refresh(isAtOnce: boolean): Promise<void> {
    this.reading ??= this.readChanges(isAtOnce)
      .catch((err: unknown) => {
        this.logger.error({ event: 'registration.unread', err }, 'The registration certificates could not be read');
      })
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }

  private async readChanges(isAtOnce: boolean): Promise<void> {
    const now = new Date();
    const changes = [await this.directory.read(), await this.list(now, isAtOnce), this.renameSelf(now), this.isStale];
    if (changes.includes(true)) {
      this.isStale = false;
      this.evaluate(now);
    }
    await this.statuses.look(
      this.held.flatMap(({ certificate }) => certificate ?? []),
      now,
    );
  }

  private async list(now: Date, isAtOnce: boolean): Promise<boolean> {
    if (!isAtOnce && now.getTime() - this.listedAt < listEveryMs) return false;
    this.listedAt = now.getTime();
    // While the database does not answer, which others say, those of before stand.
    const page = await this.records.list({ where: { listed: 'yes' }, limit: mostStored }).catch(() => undefined);
    if (!page) return false;
    const { items } = page;
    const before = [...this.stored.keys()].join();
    this.stored = new Map(items.flatMap(({ id, state }) => ('certificate' in state ? [[id, state.certificate]] : [])));
    return before !== [...this.stored.keys()].join();
  }

  /** Access certificates may be installed while the service runs. */
  private renameSelf(now: Date): boolean {
    const { requests, metadata } = this.identifiers;
    this.identifiers = this.ownIdentifiers(now);
    return requests !== this.identifiers.requests || metadata !== this.identifiers.metadata;
  }

  private ownIdentifiers(now: Date): OwnIdentifiers {
    return { requests: this.own.party('requests', now), metadata: this.own.party('metadata', now) };
  }

  private evaluate(now: Date): void {
    const files = [...this.directory.files].map(([name, text]) => this.examine(name, 'file', text, now));
    const unread = this.directory.faults.filter(({ source }) => !this.directory.files.has(source));
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
    const registrars = this.anchors.find('registrar');
    let fault: Fault | undefined;
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

function factsOf(all: readonly ShownRegistration[], now: Date): RegistrationFacts {
  const ends = all.flatMap(({ state, certificate }) =>
    state === 'valid' && certificate?.expiresAt ? [certificate.expiresAt.getTime()] : [],
  );
  return {
    certificates: Object.fromEntries(
      registrationStates.map((state) => [state, all.filter((one) => one.state === state).length]),
    ),
    ...(ends.length > 0 && { expiresSeconds: Math.round((Math.min(...ends) - now.getTime()) / 1000) }),
  };
}
