import {
  anyObject,
  closed,
  component,
  dateTime,
  eg,
  is,
  listOf,
  ListQuery,
  resource,
  scopesOfTenants,
  type Scope,
  text,
} from '@app/http';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { Matches } from 'class-validator';

/** In addresses, so it must not need encoding nor look like a file. */
export const tenantIdPattern = '^[a-z0-9][a-z0-9-]{1,38}$';

const settingsWords =
  'Settings of its own, by section and name as `GET /v0/configuration` has them: `issuer`, `pages`, `statusLists`, `issuance` and ' +
  '`verification`. What is absent is as the service has it.';
const settings = is.Optional(
  settingsWords,
  is.Check('isSettings', 'must be an object such as { "issuer": { "colour": "#0b5c3b" } }', isJsonObject),
  is.Shown({ ...anyObject, examples: [{ issuer: { colour: '#0b5c3b' } }, {}] }),
);
const displayName = 'What wallets and pages call the issuer.';

class CreateTenantBody {
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
  @settings
  readonly settings?: JsonObject;
}

@is.Fixed({ tenantId: 'create another tenant' })
class ChangeTenantBody {
  @is.Optional(displayName, is.Text(1, 256))
  readonly displayName?: string;
  @is.Optional(
    `${settingsWords} Those that are not named do not change; null removes one.`,
    is.Check('isSettings', 'must be an object such as { "issuer": { "colour": null } }', isJsonObject),
    is.Shown({ ...anyObject, examples: [{ issuer: { colour: null } }, {}] }),
  )
  readonly settings?: JsonObject;
}

const knownScopes = is.Check(
  'isScopes',
  `must be a list of one or more of ${scopesOfTenants.join(', ')}`,
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every((scope) => scopesOfTenants.includes(scope as Scope)),
);

class TenantKeyBody {
  @is.Required('For people: what the key is for.', is.Text(1, 100))
  readonly name!: string;
  @is.Optional(
    'All that a tenant can have when absent.',
    knownScopes,
    is.Shown({ type: 'array', minItems: 1, items: { enum: scopesOfTenants }, examples: [['offers:write']] }),
  )
  readonly scopes?: readonly Scope[];
}

const members = {
  tenantId: eg('musterstadt'),
  displayName: eg('Musterstadt'),
  url: eg('https://issuer.example/t/musterstadt', {
    ...text,
    description: 'Where its wallets and portals are served; its management API is below it, too.',
  }),
  settings: eg({ issuer: { colour: '#0b5c3b' } }, anyObject),
  createdAt: eg('2027-06-30T12:00:00.000Z', dateTime),
};
const tenant = component('Tenant', closed(members));
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
      description: 'It can issue and verify at once, at its `url`, with the API key of the answer.',
      body: CreateTenantBody,
      examples: { town: { tenantId: 'musterstadt', displayName: 'Musterstadt' } },
      answers: { 201: { description: 'The new tenant, with its first API key.', schema: withKey, etag: true } },
      problems: ['conflict'],
    },
    list: listOf('listTenants', 'List the tenants, newest first', tenant, ListQuery),
    get: { id: 'getTenant', route: 'GET :tenantId', summary: 'Get a tenant', answers: one },
    change: {
      id: 'changeTenant',
      route: 'PATCH :tenantId',
      summary: 'Change a tenant',
      description: 'Omitted properties do not change. Every replica follows within seconds.',
      body: ChangeTenantBody,
      examples: { colour: { settings: { issuer: { colour: '#0b5c3b' } } } },
      answers: one,
    },
    createKey: {
      id: 'createTenantKey',
      route: 'POST :tenantId/api_keys',
      summary: 'Make an API key of a tenant',
      body: TenantKeyBody,
      examples: { portal: { name: 'Town hall portal' } },
      conditional: false,
      answers: { 201: { description: 'The text of the key.', schema: component('TenantKey', closed({ apiKey })) } },
    },
  },
);
