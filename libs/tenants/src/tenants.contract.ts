import {
  anyObject,
  closed,
  component,
  dateTime,
  eg,
  integer,
  is,
  listOf,
  ListQuery,
  resource,
  scopesOfTenants,
  type Schema,
  type Scope,
  type Suspension,
  text,
  textOrNull,
} from '@app/http';
import { tenantIdPattern } from '@app/primitives/context';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { Matches } from 'class-validator';
import { type FateOfCredentials, fatesOfCredentials, tenantStatuses } from './tenant';

const settingsWords =
  'Settings of its own, by section and name as `GET /v0/configuration` has them: `issuer`, `pages`, `statusLists`, `issuance` and ' +
  '`verification`. What is absent is as the service has it.';
const settings = is.Optional(
  settingsWords,
  is.Check('isSettings', 'must be an object such as { "issuer": { "colour": "#0b5c3b" } }', isJsonObject),
  is.Shown({ ...anyObject, examples: [{ issuer: { colour: '#0b5c3b' } }, {}] }),
);
const displayName = 'What wallets and pages call the issuer.';

const limitWords = 'null for none, as when absent.';
const limit = (what: string): PropertyDecorator =>
  is.Optional(
    `${what}; ${limitWords}`,
    is.Check(
      'isLimit',
      'must be a whole number from 1 to 1,000,000, or null',
      (value) => value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000),
    ),
    is.Shown({ type: ['integer', 'null'], minimum: 1, maximum: 1_000_000, examples: [100] }),
  );

class TenantLimitsBody {
  @limit('`POST /v0/offers` per minute')
  readonly offersPerMinute?: number | null;
  @limit('Requests of wallets to the credential endpoint per day (UTC)')
  readonly credentialsPerDay?: number | null;
  @limit('Requests of portals, wallets and people per minute, without those for metadata, keys and status lists')
  readonly requestsPerMinute?: number | null;
}

const limits = is.Optional(
  'What it may do at most; beyond it callers hear 429 with `Retry-After`. Replicas that share the load may let a few more pass.',
  is.Nested(() => TenantLimitsBody),
);

const publicUrlWords =
  'A URL of its own, https, with a path or without, on a host that leads to the service; it is below the URL of the service when absent. ' +
  "Wallets and people find the tenant there alone, its management API also below `/t/{tenantId}`. Never another tenant's again.";
const mostOfUrl = 512;

export class CreateTenantBody {
  @is.Required(
    'Its id, also in its addresses; never free again.',
    Matches(new RegExp(tenantIdPattern), {
      message: 'must be 2 to 39 characters of a-z 0-9 -, the first one a letter or digit',
    }),
    is.Shown({ ...text, pattern: tenantIdPattern, examples: ['musterstadt'] }),
  )
  readonly tenantId!: string;
  @is.Required(displayName, is.Text(1, 256))
  readonly displayName!: string;
  @is.Optional(
    publicUrlWords,
    is.Text(1, mostOfUrl),
    is.Shown({ ...text, examples: ['https://id.musterstadt.example'] }),
  )
  readonly publicUrl?: string;
  @settings
  readonly settings?: JsonObject;
  @limits
  readonly limits?: TenantLimitsBody;
  @is.Optional(
    'The store that gets what is of it, as `sealwright stores list` names it; `first` when absent.',
    is.Text(1, 39),
    is.Shown({ ...text, examples: ['first'] }),
  )
  readonly store?: string;
}

function isUrlOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.length <= mostOfUrl);
}

@is.Fixed({ tenantId: 'create another tenant', store: 'use `sealwright tenants move`' })
class ChangeTenantBody {
  @is.Optional(displayName, is.Text(1, 256))
  readonly displayName?: string;
  @is.Optional(
    `${publicUrlWords} null for the one below that of the service. Changed only while the tenant has issued nothing.`,
    is.Check('isUrl', 'must be a URL such as https://id.musterstadt.example, or null', isUrlOrNull),
    is.Shown({ ...textOrNull, examples: ['https://id.musterstadt.example', null] }),
  )
  readonly publicUrl?: string | null;
  @is.Optional(
    `${settingsWords} Those that are not named do not change; null removes one.`,
    is.Check('isSettings', 'must be an object such as { "issuer": { "colour": null } }', isJsonObject),
    is.Shown({ ...anyObject, examples: [{ issuer: { colour: null } }, {}] }),
  )
  readonly settings?: JsonObject;
  @limits
  readonly limits?: TenantLimitsBody;
}

const knownScopes = is.Check(
  'isScopes',
  `must be a list of one or more of ${scopesOfTenants.join(', ')}`,
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((scope) => scopesOfTenants.includes(scope as Scope)),
);

class TenantKeyBody {
  @is.Required(
    'For people: what the key is for.',
    is.Text(1, 100),
    Matches(/[^ ]/, { message: 'must have a character that is no space' }),
  )
  readonly name!: string;
  @is.Optional(
    'All that a tenant can have when absent.',
    knownScopes,
    is.Shown({ type: 'array', minItems: 1, items: { enum: scopesOfTenants }, examples: [['offers:write']] }),
  )
  readonly scopes?: readonly Scope[];
}

class SuspendTenantBody {
  @is.Required(
    '`issuing`: nothing new is offered, issued or asked for, and the rest of the management API goes on. `all`: the management API ' +
      'answers `tenant-suspended`, and wallets can neither be issued to nor answer requests.',
    is.OneOf(['issuing', 'all']),
  )
  readonly scope!: Suspension;
  @is.Optional('For operators; the tenant does not see it.', is.Text(1, 500))
  readonly reason?: string;
}

class DeleteTenantQuery {
  @is.Optional('The id of the tenant once more: nothing is deleted without it.', is.Text(1, 39))
  readonly confirm?: string;
}

class DeleteTenantBody {
  @is.Optional(
    'What its status lists say from the end of the time to restore it: `keep-status` what they said before, `revoke-all` that ' +
      'every credential is revoked. `keep-status` when absent.',
    is.OneOf(fatesOfCredentials),
  )
  readonly credentials?: FateOfCredentials;
}

class TenantHostQuery {
  @is.Required('A host name; what a port would say is left out.', is.Text(1, 255))
  readonly domain!: string;
}

const integerOrNull: Schema<number | null> = { type: ['integer', 'null'] };
const dateTimeOrNull: Schema<string | null> = { ...textOrNull, format: 'date-time' };
const suspension = closed({
  scope: eg('all', { enum: ['issuing', 'all'] }),
  reason: eg('Invoice 4711 is open', textOrNull),
  suspendedAt: eg('2027-07-01T12:00:00.000Z', dateTime),
});
const members = {
  tenantId: eg('musterstadt'),
  displayName: eg('Musterstadt'),
  status: eg('Active', { enum: tenantStatuses }),
  url: eg('https://issuer.example/t/musterstadt', {
    ...text,
    description: 'Where its wallets and portals are served; its management API is below it, too.',
  }),
  publicUrl: eg(null, { ...textOrNull, description: 'The same for a tenant with a URL of its own, else null.' }),
  settings: eg({ issuer: { colour: '#0b5c3b' } }, anyObject),
  limits: closed({
    offersPerMinute: eg(100, integerOrNull),
    credentialsPerDay: eg(null, integerOrNull),
    requestsPerMinute: eg(null, integerOrNull),
  }),
  store: eg('first', { ...text, description: 'The store that has what is of it.' }),
  createdAt: eg('2027-06-30T12:00:00.000Z', dateTime),
  suspension: eg(null, { oneOf: [suspension, { type: 'null' }], description: 'Null unless it is suspended.' }),
  deletedAt: eg(null, { ...dateTimeOrNull, description: 'When it was deleted; null unless it was.' }),
  restorableUntil: eg(null, { ...dateTimeOrNull, description: 'Until when it can be restored.' }),
  file: eg(null, {
    ...textOrNull,
    description: 'That says what it is, in `SERVICE__TENANTS__DIRECTORY`; null without one.',
  }),
  credentials: eg(null, { enum: [...fatesOfCredentials, null], description: 'What becomes of its credentials.' }),
} as const;
const tenant = component('Tenant', closed(members));
const usage = component(
  'TenantUsage',
  closed({
    offers: eg(4711, integer),
    credentials: closed({ issued: eg(4700, integer), issuedInLast30Days: eg(120, integer) }),
    templates: eg(3, integer),
    webhooks: eg(1, integer),
  }),
);
const apiKey = eg('swk_3kTMd9Qx_…', { ...text, description: 'Of its first API key. Shown this once.' });
const withKey = component('TenantWithKey', closed({ ...members, apiKey }));
const one = { 200: { description: 'The tenant.', schema: tenant, etag: true } } as const;

export const tenants = resource(
  {
    path: 'v0/tenants',
    area: 'tenants',
    tag: 'Tenants',
    description:
      'Issuers that share this deployment, each with addresses, keys, data and API keys of its own. Only callers of the service itself ' +
      'see them; a tenant knows of none.',
    parameters: { tenantId: { description: 'The id of the tenant.', schema: text } },
    missing: 'tenant-not-found',
  },
  {
    create: {
      id: 'createTenant',
      route: 'POST',
      summary: 'Create a tenant',
      description:
        'It can issue and verify at once, at its `url`, with the API key of the answer. Whoever did not hear the answer repeats the request: ' +
        'as long as the tenant is as it was made and nobody has called with a key of it, the answer is the tenant with one more first key.',
      body: CreateTenantBody,
      examples: { town: { tenantId: 'musterstadt', displayName: 'Musterstadt' } },
      answers: { 201: { description: 'The new tenant, with its first API key.', schema: withKey, etag: true } },
      problems: ['conflict', 'tenant-managed-by-file'],
    },
    list: listOf('listTenants', 'List the tenants, newest first', tenant, ListQuery),
    byHost: {
      id: 'findTenantHost',
      route: 'GET by-host',
      summary: 'Whether a host is that of a tenant',
      description:
        'For proxies that make certificates when a host is first called. The listener of the metrics answers the same address with the ' +
        'same status and without a key.',
      query: TenantHostQuery,
      conditional: false,
      answers: { 200: { description: 'It is.', schema: closed({ domain: eg('id.musterstadt.example') }) } },
      problems: ['tenant-not-found'],
    },
    get: { id: 'getTenant', route: 'GET :tenantId', summary: 'Get a tenant', answers: one },
    change: {
      id: 'changeTenant',
      route: 'PATCH :tenantId',
      summary: 'Change a tenant',
      description: 'Omitted properties do not change. Every replica follows within seconds.',
      body: ChangeTenantBody,
      examples: { colour: { settings: { issuer: { colour: '#0b5c3b' } } } },
      answers: one,
      problems: ['tenant-managed-by-file'],
    },
    suspend: {
      id: 'suspendTenant',
      route: 'POST :tenantId/suspend',
      summary: 'Suspend a tenant',
      description:
        'Every replica follows within seconds. Wallets that ask for tokens, credentials or authorizations hear ' +
        '`temporarily_unavailable` and are told to ask again in a day. Metadata, keys, status lists and type metadata stay served, so ' +
        'that holders can go on presenting. Streams of events end.',
      body: SuspendTenantBody,
      examples: { all: { scope: 'all', reason: 'Invoice 4711 is open' }, issuing: { scope: 'issuing' } },
      answers: one,
    },
    resume: { id: 'resumeTenant', route: 'POST :tenantId/resume', summary: 'Resume a suspended tenant', answers: one },
    delete: {
      id: 'deleteTenant',
      route: 'DELETE :tenantId',
      freshness: true,
      summary: 'Delete a tenant',
      description:
        'It is suspended at once, and can be restored until `restorableUntil`, `SERVICE__TENANTS__REGRET_DAYS` later. Then its ' +
        'API keys are revoked, its webhooks get nothing any more, and the key of its personal data is destroyed, so that they can ' +
        'be read nowhere any more; backups made before keep them until they expire. Its metadata, keys and status lists stay served. ' +
        'Its id is never free again.',
      query: DeleteTenantQuery,
      body: DeleteTenantBody,
      examples: { keep: { credentials: 'keep-status' }, revoke: { credentials: 'revoke-all' } },
      answers: one,
      problems: ['tenant-managed-by-file'],
    },
    restore: {
      id: 'restoreTenant',
      route: 'POST :tenantId/restore',
      summary: 'Restore a deleted tenant',
      description: 'Until `restorableUntil`. One that was suspended before is suspended again.',
      answers: one,
    },
    usage: {
      id: 'getTenantUsage',
      route: 'GET :tenantId/usage',
      summary: 'Count what a tenant has',
      description: 'More than 1,000,000 of one kind are not counted.',
      conditional: false,
      answers: { 200: { description: 'The counts.', schema: usage } },
    },
    createKey: {
      id: 'createTenantKey',
      route: 'POST :tenantId/api_keys',
      freshness: true,
      summary: 'Make an API key of a tenant',
      body: TenantKeyBody,
      examples: { portal: { name: 'Town hall portal' } },
      problems: ['conflict'],
      conditional: false,
      answers: { 200: { description: 'The text of the key.', schema: component('TenantKey', closed({ apiKey })) } },
    },
  },
);
