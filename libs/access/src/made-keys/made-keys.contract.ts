import { closed, component, dateTime, eg, is, resource, type Scope, scopes, text } from '@app/http';
import { Matches } from 'class-validator';

const key = {
  keyId: eg('0aB3dE7x', { ...text, description: 'The principal of its calls is `key:` with this id.' }),
  name: eg('Town hall portal', text),
  client: eg('town-hall-portal', { ...text, description: 'The portal that it belongs to.' }),
  scopes: eg(['offers:write'], { type: 'array', items: { enum: scopes } }),
  state: eg('active', {
    enum: ['active', 'expired', 'revoked', 'altered'],
    description: '`altered`: the row was changed directly in the database, and the key is rejected.',
  }),
  createdAt: eg('2027-06-30T12:00:00.000Z', dateTime),
  'expiresAt?': { ...dateTime, description: 'Never when absent.' },
  'revokedAt?': dateTime,
  'lastUsedAt?': { ...dateTime, description: 'To the minute; absent before its first call.' },
} as const;

const isListOfScopes = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => (scopes as readonly unknown[]).includes(one));

class CreateApiKeyBody {
  @is.Required(
    'For people: what the key is for.',
    is.Text(1, 100),
    Matches(/[^ ]/, { message: 'must have a character that is no space' }),
  )
  readonly name!: string;
  @is.Required(
    'What it allows; the caller has to have each of them.',
    is.Check('isListOfScopes', `must be a list of one or more of ${scopes.join(', ')}`, isListOfScopes),
    is.Shown({ type: 'array', minItems: 1, items: { enum: scopes }, examples: [['offers:write']] }),
  )
  readonly scopes!: readonly Scope[];
  @is.Optional('Rejected from this time on; never when absent.', is.Moment('2099-12-31T00:00:00Z'))
  readonly expiresAt?: string;
}

export const apiKeys = resource(
  {
    path: 'v0/api_keys',
    area: 'keys',
    tag: 'API keys',
    description: 'The keys with which portals call the management API.',
    parameters: { keyId: { description: 'As the list of keys has it.', schema: text } },
  },
  {
    create: {
      id: 'createApiKey',
      freshness: true,
      route: 'POST',
      summary: 'Make an API key',
      description: 'Only its hash is stored: this answer alone has its text. Keys of the settings are not among these.',
      body: CreateApiKeyBody,
      problems: ['invalid-expiration-date'],
      examples: { portal: { name: 'Town hall portal', scopes: ['offers:write', 'credentials:write'] } },
      answers: {
        200: {
          description: 'The key, with its text.',
          schema: component(
            'CreatedApiKey',
            closed({ ...key, apiKey: eg('swk_...', { ...text, description: 'Shown this once.' }) }),
          ),
        },
      },
    },
    list: {
      id: 'listApiKeys',
      route: 'GET',
      summary: 'List the API keys, oldest first',
      answers: {
        200: {
          description: 'Every key there was, without texts.',
          schema: closed({ items: eg([], { type: 'array', items: component('ApiKey', closed(key)) }) }),
        },
      },
    },
    revoke: {
      id: 'revokeApiKey',
      route: 'DELETE :keyId',
      summary: 'Revoke an API key permanently',
      description: 'Every replica rejects it within five seconds. A repetition changes nothing.',
      conditional: false,
      answers: { 204: 'The key is revoked.' },
    },
  },
);
