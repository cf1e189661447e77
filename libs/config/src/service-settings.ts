import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { IsPort } from './port';
import { Setting } from './setting';

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

const webUrl = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };
const tokenTypes = ['at+jwt', 'JWT'] as const;

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
      'URL of the management API as callers know it, where that is not `SERVICE__APPLICATION_URL`: DPoP proofs of callers name it in `htu`.',
    kind: 'text',
    defaultNote: '`SERVICE__APPLICATION_URL`',
  })
  @ValidateIf((management: ManagementSettings) => management.url !== '')
  @IsUrl(webUrl, { message: 'give an http or https URL' })
  readonly url: string = '';

  @Setting({
    description:
      'Serves the console at `/console`, on the listener of the management API: a page that calls this API with the key its user enters.',
    kind: 'boolean',
    defaultNote: '`true` in development, `false` in production',
  })
  @IsBoolean({ message: 'write true or false' })
  readonly console: boolean = false;

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
  @IsUrl(webUrl, { message: 'give an http or https URL' })
  readonly jwksUrl: string = '';

  @Setting({ description: 'The `iss` those access tokens must have.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly issuer: string = '';

  @Setting({ description: 'The `aud` those access tokens must have.', kind: 'text' })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly audience: string = '';

  @Setting({
    description:
      'The `typ` those access tokens may have: `at+jwt` alone (RFC 9068), or with `JWT` that one, too, which Keycloak writes by default. `JWT` gives up what tells access tokens from other tokens of the same server for certain: those with claims of ID and logout tokens are still refused, and nothing else may be issued with this `aud`.',
    kind: 'text',
  })
  @IsIn(tokenTypes, { message: `use one of: ${tokenTypes.join(', ')}` })
  readonly tokenType: (typeof tokenTypes)[number] = 'at+jwt';

  @Setting({
    description:
      'The claim of those access tokens that names the tenant whose caller it is, by its id. A token with it opens that tenant alone, at `/v0` as well as below `/t/`; one without it is of no tenant. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give a text; quote it in YAML' })
  readonly tenantClaim: string = '';
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

export class TenantsSettings {
  @Setting({
    description: 'Days in which a deleted tenant can be restored; afterwards its key is destroyed. 0 to 90.',
    kind: 'number',
  })
  @IsInt({ message: 'give whole days' })
  @Min(0, { message: 'give 0 to 90 days' })
  @Max(90, { message: 'give 0 to 90 days' })
  readonly regretDays: number = 7;

  @Setting({
    description: 'Tenants that a process keeps in memory. 1 to 100,000.',
    kind: 'number',
  })
  @IsInt({ message: 'give a whole number' })
  @Min(1, { message: 'give 1 to 100000 tenants' })
  @Max(100_000, { message: 'give 1 to 100000 tenants' })
  readonly cached: number = 1_000;

  @Setting({
    description:
      'Directory of tenants: `ID.yaml` each, with what `POST /v0/tenants` takes. They are made and changed at start and when a file changes, and the API does not change them. A tenant whose file is removed stays. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give a path' })
  readonly directory: string = '';
}

export class RateLimitsSettings {
  @Setting({
    description:
      'Limits failed access, wrong transaction codes, pushed requests without client authentication and logins per client address.',
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
