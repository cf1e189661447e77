import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import { AttestationStatuses, OwnCertificates, TrustAnchors } from '@app/identity';
import { Metrics, type RegistrationFacts } from '@app/observability';
import type { DcqlQuery, VerifierInfo } from '@app/openid4vc';
import { inTenant, Tenants } from '@app/primitives/context';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { chooseRegistration } from './certificate/chosen-registration';
import type { RegisteredCredential } from './certificate/registered-credential';
import { registrarDataset } from './certificate/registrar-dataset';
import { compactIn, faultOfTimes, type RegistrationCertificate } from './certificate/registration-certificate';
import { faultOfParty, isOfIssuer, isOfVerifier, verifiedCertificate } from './certificate/verified-certificate';
import {
  HeldRegistrations,
  type RegistrationFault,
  registrationStates,
  type ShownRegistration,
} from './held-registrations';
import { RegistrationDirectory } from './sources/registration-directory';
import { RegistrationStatuses } from './sources/registration-statuses';
import { STORED_CERTIFICATES, type StoredCertificate, type StoredCertificateEvent } from './sources/stored-certificate';

/** How soon a changed file is seen. */
const readEveryMs = 2_000;

/** What a request says of the registration of its verifier. */
export interface RequestRegistration {
  /** For `verifier_info`: the certificate, and what is sent beside it. */
  readonly entries?: readonly VerifierInfo[];
  readonly warnings: readonly string[];
}

const certificateFormat = 'registration_cert';
const unregistered: RequestRegistration = { warnings: [] };

/** The registration certificates of the issuer at hand: of the settings, or of a tenant, which has those of the management API alone. */
@Injectable()
export class OwnRegistrations implements OnModuleInit, OnApplicationShutdown {
  private readonly held: HeldRegistrations;
  private trustChanges = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly own: OwnCertificates,
    private readonly anchors: TrustAnchors,
    private readonly statuses: AttestationStatuses,
    @Inject(STORED_CERTIFICATES) private readonly records: Repository<StoredCertificate, StoredCertificateEvent>,
    private readonly metrics: Metrics,
    tenants: Tenants,
  ) {
    const none = new RegistrationDirectory('');
    this.held = tenants.opened(this.heldOf(new RegistrationDirectory(settings.registration.directory)), async () => {
      const held = this.heldOf(none);
      if (this.knowsRegistrars()) await held.refresh(true);
      return held;
    });
    tenants.keepUp(async (asked) => {
      for (const tenant of this.knowsRegistrars() ? asked : []) await inTenant(tenant, () => this.held.refresh(false));
      return asked;
    });
  }

  /** Never fails: without registration certificates wallets warn, and most do not ask for one yet. */
  async onModuleInit(): Promise<void> {
    await this.reload();
    this.anchors.onChange(() => {
      this.trustChanges += 1;
    });
    this.metrics.readRegistration(() => factsOf(this.all(), new Date()));
    this.timer = setInterval(() => void this.held.refresh(false), readEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Reads everything anew, as happens from time to time. Never rejects. */
  reload(): Promise<void> {
    return this.held.reload();
  }

  all(now = new Date()): readonly ShownRegistration[] {
    return this.held.all(now);
  }

  /** Why a certificate would not be used; undefined when it would. Throws `CertificateFault` when it cannot be read. */
  examined(
    given: string,
    now: Date,
  ): { readonly certificate: RegistrationCertificate; readonly fault?: RegistrationFault } {
    const certificate = verifiedCertificate(given, this.anchors.find('registrar'), now);
    const fault = faultOfTimes(certificate, now) ?? faultOfParty(certificate, this.held.ownIdentifiers(now));
    return { certificate, ...(fault && { fault }) };
  }

  /**
   * What goes with a query, in the name of the party that is registered for it.
   * @param intendedUseId the only one that covers the query when absent. Throws `request-not-registered`
   */
  forRequest(query: DcqlQuery, intendedUseId: string | undefined): RequestRegistration {
    // Most services have none.
    if (this.held.isEmpty && intendedUseId === undefined) return unregistered;
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
    const certificates = entries.filter(({ format }) => format === certificateFormat);
    return certificates.every(({ data }) => {
      const compact = typeof data === 'string' ? compactIn(data) : undefined;
      return this.valid(isOfVerifier).some(({ certificate }) => certificate.compact === compact);
    });
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
    return this.held.isEmpty ? undefined : this.valid(isOfIssuer).at(-1)?.certificate;
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

  private heldOf(directory: RegistrationDirectory): HeldRegistrations {
    const { own, anchors, records } = this;
    return new HeldRegistrations({
      statuses: new RegistrationStatuses(this.statuses),
      trustChanges: () => this.trustChanges,
      ...{ directory, own, anchors, records },
    });
  }

  /** Without one no certificate can be valid, and tenants cost nothing. */
  private knowsRegistrars(): boolean {
    return this.anchors.find('registrar').length > 0;
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
