import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { IsBaseUrl } from './base-url';
import { IsPort } from './port';
import { Section, Setting } from './setting';

export const profiles = ['development', 'production'] as const;
export type Profile = (typeof profiles)[number];

export const eventStoreTypes = ['postgres', 'embedded'] as const;
export type EventStoreType = (typeof eventStoreTypes)[number];

/** Under what kind of name this service issues credentials: its DID, or its https URL. */
export const issuerIdentifiers = ['did', 'https'] as const;
export type IssuerIdentifier = (typeof issuerIdentifiers)[number];

export class HttpSettings {
  @Setting({ description: 'Port of the public listener; 0 selects a free port.', kind: 'number' })
  @IsPort()
  readonly port: number = 3033;

  @Setting({
    description:
      'Comma-separated addresses or networks (`10.0.0.0/8`) of the proxies whose `X-Forwarded-For` is trusted. Without them, the client is the peer of the connection.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the networks by commas' })
  @Matches(/^[0-9a-f.:]+(\/\d{1,3})?$/i, { each: true, message: 'write each entry as an address or address/bits' })
  readonly trustedProxies: readonly string[] = [];

  @Setting({
    description:
      'Seconds between the shutdown signal and the closing of the listeners. Meanwhile readiness is false and requests are still answered, so that load balancers can notice.',
    kind: 'number',
    defaultNote: '`2` in production, `0` in development',
  })
  @IsInt({ message: 'give whole seconds' })
  @Min(0, { message: 'give 0 to 60 seconds' })
  @Max(60, { message: 'give 0 to 60 seconds' })
  readonly drainSeconds: number = 2;

  @Setting({
    description:
      'Seconds within which a request is answered, counted from its last byte; with 503 when the database or another server does not answer. A batch of credentials has six times as long.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole seconds' })
  @Min(1, { message: 'give 1 to 60 seconds' })
  @Max(60, { message: 'give 1 to 60 seconds' })
  readonly requestSeconds: number = 10;
}

export class ManagementSettings {
  @Setting({
    description:
      'Port of a separate listener for the management API, which is then absent from the public one; 0 selects a free port.',
    kind: 'number',
    defaultNote: 'none: `/v0` answers on `SERVICE__HTTP__PORT`',
  })
  @IsOptional()
  @IsPort()
  readonly port: number | undefined = undefined;

  @Setting({
    description:
      'Comma-separated API keys with every scope, 16 characters or more each. Create keys with fewer scopes and an expiry with `sealwright api-keys create`.',
    kind: 'list',
    secret: true,
  })
  @IsArray({ message: 'separate the keys by commas' })
  @MinLength(16, { each: true, message: 'give each key 16 characters or more' })
  readonly apiKeys: readonly string[] = [];

  @Setting({
    description: 'URL of the JWK Set whose keys sign the OAuth 2.0 access tokens (RFC 9068) of management callers.',
    kind: 'text',
  })
  @ValidateIf((management: ManagementSettings) => management.jwksUrl !== '')
  @IsUrl(
    { require_tld: false, require_protocol: true, protocols: ['http', 'https'] },
    { message: 'give an http or https URL' },
  )
  readonly jwksUrl: string = '';

  @Setting({ description: 'The `iss` those access tokens must have.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly issuer: string = '';

  @Setting({ description: 'The `aud` those access tokens must have.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly audience: string = '';
}

export class EventsSettings {
  @Setting({
    description:
      'Seconds without an event after which a stream of events carries a heartbeat. Fewer than what a proxy allows a connection to be idle.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole seconds' })
  @Min(1, { message: 'give 1 to 60 seconds' })
  @Max(60, { message: 'give 1 to 60 seconds' })
  readonly heartbeatSeconds: number = 15;
}

export class RateLimitsSettings {
  @Setting({
    description: 'Limits failed access and wrong transaction codes per client address.',
    kind: 'boolean',
    defaultNote: '`true` in production, `false` in development',
  })
  @IsBoolean({ message: 'write true or false' })
  readonly enabled: boolean = true;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export class LogSettings {
  @Setting({
    description: `The least severe level that is logged: ${logLevels.map((l) => `\`${l}\``).join(', ')}.`,
    kind: 'text',
    defaultNote: '`info` in production, `debug` in development',
  })
  @IsIn(logLevels, { message: `use one of: ${logLevels.join(', ')}` })
  readonly level: (typeof logLevels)[number] = 'info';
}

export class EventStoreSettings {
  @Setting({
    description:
      '`postgres`, or `embedded` (PostgreSQL compiled to WebAssembly, one process, for development; refused in production).',
    kind: 'text',
    defaultNote: '`embedded` in development, `postgres` in production',
  })
  @IsIn(eventStoreTypes, { message: `use one of: ${eventStoreTypes.join(', ')}` })
  readonly type: EventStoreType = 'postgres';

  @Setting({
    description:
      'For `postgres`: `postgresql://user:password@host:5432/database`, or several hosts (`host1:5432,host2:5432`) of which the one that accepts writes is used; in production a database on another machine is reached over TLS with a verified certificate (`sslmode=verify-full`) unless the URL has an `sslmode`. For `embedded`: the directory that holds the data.',
    kind: 'text',
    secret: true,
    isAddress: true,
    defaultNote: '`./data` for `embedded`; required for `postgres`',
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly connectionString: string = '';
}

export class ErasureKeysSettings {
  @Setting({
    description:
      'A second PostgreSQL, `postgresql://user:password@host:5432/database`, for the keys without which erased personal data cannot be restored from a backup of the first one. Keep its own backups for days only. Several hosts and TLS as for the event store. Empty: none.',
    kind: 'text',
    secret: true,
    isAddress: true,
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly connectionString: string = '';
}

export class SecretManagerSettings {
  @Setting({
    description:
      'Password of the key store, 12 characters or more. Without it everything it sealed is lost: keep a copy.',
    kind: 'text',
    secret: true,
    defaultNote: 'required in production; in development the well-known password `development-only`',
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly strongholdPassword: string = '';
}

export class MetricsSettings {
  @Setting({
    description: 'Serves metrics for Prometheus: `/metrics` on a separate listener.',
    kind: 'boolean',
  })
  @IsBoolean({ message: 'write true or false' })
  readonly enabled: boolean = false;

  @Setting({ description: 'Port of the metrics listener; 0 selects a free port.', kind: 'number' })
  @IsPort()
  readonly port: number = 9091;
}

export class CredentialConfigurationsSettings {
  @Setting({ description: 'Directory of the credential configurations provisioned at start.', kind: 'text' })
  @IsString({ message: 'give the path of a directory' })
  @IsNotEmpty({ message: 'give the path of a directory' })
  readonly path: string = 'config/credential-configurations';
}

export class IssuerSettings {
  @Setting({ description: 'Name of the issuer that wallets show to people.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  @IsNotEmpty({ message: 'give a name of one character or more' })
  readonly displayName: string = 'Sealwright';

  @Setting({
    description:
      'The `iss` of SD-JWT VCs whose template or file does not set one: `did`, the DID of this service, which most wallets accept, or `https`, its URL. W3C credentials have the DID unless their template or file sets another.',
    kind: 'text',
  })
  @IsIn(issuerIdentifiers, { message: `use one of: ${issuerIdentifiers.join(', ')}` })
  readonly sdJwtIdentifier: IssuerIdentifier = 'did';
}

export class StatusListsSettings {
  @Setting({
    description:
      'Entries of each status list that is opened from now on, 131072 to 1048576: a power of two. Half of them are used.',
    kind: 'number',
  })
  @IsIn([2 ** 17, 2 ** 18, 2 ** 19, 2 ** 20], { message: 'give 131072, 262144, 524288 or 1048576' })
  readonly entries: number = 2 ** 17;

  @Setting({
    description:
      'Seconds for which verifiers may keep a status list; a change of a status reaches all of them within twice that time. 2 to 86,400.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole seconds' })
  @Min(2, { message: 'give 2 to 86400 seconds' })
  @Max(86_400, { message: 'give 2 to 86400 seconds' })
  readonly ttlSeconds: number = 300;
}

export class OutboundSettings {
  @Setting({
    description:
      'Comma-separated hosts, `host` or `host:port`, that outgoing requests may reach at private addresses and over http.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the hosts by commas' })
  @Matches(/^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9]\d{0,4})?$/i, {
    each: true,
    message: 'write each entry as host or host:port, without scheme and path',
  })
  readonly allowPrivateHosts: readonly string[] = [];
}

/** Days; see `IssuanceSettings.deferralDays`. */
export const longestDeferralDays = 90;

export class IssuanceSettings {
  @Setting({
    description:
      'Days for which a wallet can wait for the data of a deferred offer, from its token on; the token of such an offer is valid for one day more. 1 to 90.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(1, { message: `give 1 to ${longestDeferralDays} days` })
  @Max(longestDeferralDays, { message: `give 1 to ${longestDeferralDays} days` })
  readonly deferralDays: number = 30;
}

const undeterminedStatuses = ['reject', 'accept'] as const;
type UndeterminedStatus = (typeof undeterminedStatuses)[number];

export class VerificationSettings {
  @Setting({
    description:
      'Comma-separated issuers whose credentials are accepted: a DID or https URL, optionally followed by the credential types it is trusted for, separated by spaces. This service is always trusted; in development, so is every issuer whose keys can be found.',
    kind: 'list',
  })
  @IsArray({ message: 'separate the issuers by commas' })
  @Matches(/^(did:[a-z0-9]+:|https:\/\/)\S+( +\S+)*$/, {
    each: true,
    message: 'begin each entry with a DID or an https URL',
  })
  readonly trustedIssuers: readonly string[] = [];

  @Setting({
    description:
      '`reject` or `accept`: what becomes of a presented credential whose issuer gave it a status that cannot be determined, because its status list cannot be fetched, is not signed by the issuer or has expired. Suspended and revoked credentials are always rejected.',
    kind: 'text',
    defaultNote: '`reject` in production, `accept` in development',
  })
  @IsIn(undeterminedStatuses, { message: `use one of: ${undeterminedStatuses.join(', ')}` })
  readonly undeterminedStatus: UndeterminedStatus = 'reject';
}

export class AuditSettings {
  @Setting({
    description: 'Days for which rows of the audit are kept; housekeeping removes older ones. 30 to 36,500.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(30, { message: 'give 30 to 36500 days' })
  @Max(36_500, { message: 'give 30 to 36500 days' })
  readonly retentionDays: number = 730;
}

export class WebhooksSettings {
  @Setting({
    description:
      'Days for which deliveries to webhooks are kept, and for which events can be sent again; housekeeping removes older ones. Events wait that long for a webhook that is paused. 1 to 365.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(1, { message: 'give 1 to 365 days' })
  @Max(365, { message: 'give 1 to 365 days' })
  readonly retentionDays: number = 30;
}

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

  @Section(() => HttpSettings)
  readonly http: HttpSettings = new HttpSettings();

  @Section(() => ManagementSettings)
  readonly management: ManagementSettings = new ManagementSettings();

  @Section(() => EventsSettings)
  readonly events: EventsSettings = new EventsSettings();

  @Section(() => RateLimitsSettings)
  readonly rateLimits: RateLimitsSettings = new RateLimitsSettings();

  @Section(() => AuditSettings)
  readonly audit: AuditSettings = new AuditSettings();

  @Section(() => LogSettings)
  readonly log: LogSettings = new LogSettings();

  @Section(() => EventStoreSettings)
  readonly eventStore: EventStoreSettings = new EventStoreSettings();

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

  @Section(() => StatusListsSettings)
  readonly statusLists: StatusListsSettings = new StatusListsSettings();

  @Section(() => IssuanceSettings)
  readonly issuance: IssuanceSettings = new IssuanceSettings();

  @Section(() => VerificationSettings)
  readonly verification: VerificationSettings = new VerificationSettings();

  @Section(() => OutboundSettings)
  readonly outbound: OutboundSettings = new OutboundSettings();

  @Section(() => WebhooksSettings)
  readonly webhooks: WebhooksSettings = new WebhooksSettings();
}
