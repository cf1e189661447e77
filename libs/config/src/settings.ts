import { IsBoolean, IsIn } from 'class-validator';
import { IsBaseUrl } from './base-url';
import { AuthorizationSettings } from './authorization-settings';
import { CertificatesSettings } from './certificate-settings';
import { ConsoleSettings } from './console-settings';
import { IdentificationSettings } from './identification-settings';
import { MailSettings } from './mail-settings';
import { Section, Setting } from './setting';
import { SignerSettings } from './signer-settings';
import {
  CredentialConfigurationsSettings,
  IssuerSettings,
  StatusListsSettings,
  IssuanceSettings,
  PagesSettings,
  VerificationSettings,
  RegistrationSettings,
  TrustSettings,
  OutboundSettings,
  WebhooksSettings,
  ImportsSettings,
} from './credential-settings';
import {
  HttpSettings,
  ManagementSettings,
  EventsSettings,
  RateLimitsSettings,
  TenantsSettings,
  LogSettings,
  MetricsSettings,
} from './service-settings';
import {
  EventStoreSettings,
  ErasureKeysSettings,
  SecretManagerSettings,
  StoresSettings,
  AuditSettings,
} from './storage-settings';

export const profiles = ['development', 'production'] as const;
export type Profile = (typeof profiles)[number];

/** The effective settings of one process, complete and valid; inject it by class. */
export class Settings {
  @Setting({
    description:
      '`production`, or `development`: embedded store, a known password, http URLs allowed. Never expose `development` to the internet.',
    kind: 'text',
  })
  @IsIn(profiles, { message: `use one of: ${profiles.join(', ')}` })
  readonly profile: Profile = 'production';

  @Setting({
    description:
      'Base URL under which wallets reach this service, without a trailing slash; a path is allowed. Production requires https.',
    kind: 'text',
    defaultNote: 'required in production; in development `http://<first LAN address>:<SERVICE__HTTP__PORT>`',
  })
  @IsBaseUrl()
  readonly applicationUrl: string = '';

  @Setting({
    description:
      'Demands what HAIP 1.0 wants of issuers and verifiers: the strict values of all settings, certificates for credentials and requests, a trusted wallet provider, and in production a provider at which people log in or a trusted issuer whose credentials they present. The start fails with a list of what is missing or contradicts it. See docs/wallets-and-people.md.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'write true or false' })
  readonly haip: boolean = false;

  @Section(() => HttpSettings)
  readonly http: HttpSettings = new HttpSettings();

  @Section(() => ManagementSettings)
  readonly management: ManagementSettings = new ManagementSettings();

  @Section(() => ConsoleSettings)
  readonly console: ConsoleSettings = new ConsoleSettings();

  @Section(() => EventsSettings)
  readonly events: EventsSettings = new EventsSettings();

  @Section(() => RateLimitsSettings)
  readonly rateLimits: RateLimitsSettings = new RateLimitsSettings();

  @Section(() => TenantsSettings)
  readonly tenants: TenantsSettings = new TenantsSettings();

  @Section(() => AuditSettings)
  readonly audit: AuditSettings = new AuditSettings();

  @Section(() => LogSettings)
  readonly log: LogSettings = new LogSettings();

  @Section(() => EventStoreSettings)
  readonly eventStore: EventStoreSettings = new EventStoreSettings();

  @Section(() => StoresSettings)
  readonly stores: StoresSettings = new StoresSettings();

  @Section(() => ErasureKeysSettings)
  readonly erasureKeys: ErasureKeysSettings = new ErasureKeysSettings();

  @Section(() => SecretManagerSettings)
  readonly secretManager: SecretManagerSettings = new SecretManagerSettings();

  @Section(() => MetricsSettings)
  readonly metrics: MetricsSettings = new MetricsSettings();

  @Section(() => CredentialConfigurationsSettings)
  readonly credentialConfigurations: CredentialConfigurationsSettings = new CredentialConfigurationsSettings();

  @Section(() => IssuerSettings)
  readonly issuer: IssuerSettings = new IssuerSettings();

  @Section(() => PagesSettings)
  readonly pages: PagesSettings = new PagesSettings();

  @Section(() => StatusListsSettings)
  readonly statusLists: StatusListsSettings = new StatusListsSettings();

  @Section(() => IssuanceSettings)
  readonly issuance: IssuanceSettings = new IssuanceSettings();

  @Section(() => AuthorizationSettings)
  readonly authorization: AuthorizationSettings = new AuthorizationSettings();

  @Section(() => VerificationSettings)
  readonly verification: VerificationSettings = new VerificationSettings();

  @Section(() => RegistrationSettings)
  readonly registration: RegistrationSettings = new RegistrationSettings();

  @Section(() => TrustSettings)
  readonly trust: TrustSettings = new TrustSettings();

  @Section(() => SignerSettings)
  readonly signer: SignerSettings = new SignerSettings();

  @Section(() => CertificatesSettings)
  readonly certificates: CertificatesSettings = new CertificatesSettings();

  @Section(() => OutboundSettings)
  readonly outbound: OutboundSettings = new OutboundSettings();

  @Section(() => IdentificationSettings)
  readonly identification: IdentificationSettings = new IdentificationSettings();

  @Section(() => WebhooksSettings)
  readonly webhooks: WebhooksSettings = new WebhooksSettings();

  @Section(() => ImportsSettings)
  readonly imports: ImportsSettings = new ImportsSettings();
  @Section(() => MailSettings)
  readonly mail: MailSettings = new MailSettings();
}
