import { type Answer, currentPrincipal, HttpReply, Implements, type Input, Resource } from '@app/http';
import { Problem, validationFailed } from '@app/primitives/problems';
import { noteChange } from '../audit/request-audit';
import type { ApiKey } from '../api-key';
import { ApiKeyRequestError, ApiKeys } from '../api-keys';
import { clientFault, clientFrom } from '../client';
import { apiKeys } from './made-keys.contract';

@Resource(apiKeys)
export class MadeKeysController {
  constructor(private readonly keys: ApiKeys) {}

  @Implements(apiKeys.create)
  async create({ body: { name, scopes, expiresAt } }: Input<typeof apiKeys.create>): Promise<HttpReply> {
    const caller = currentPrincipal();
    const foreign = scopes.findIndex((scope) => !caller?.scopes.has(scope));
    if (!caller || foreign !== -1)
      throw validationFailed([{ pointer: `/scopes/${foreign}`, message: 'must be a scope that the caller has' }]);
    const { templates } = caller;
    // Keys are for all templates.
    const limited = scopes.findIndex((scope) => templates?.has(scope));
    if (limited !== -1) {
      const message = 'must be a scope that the caller has for all templates';
      throw validationFailed([{ pointer: `/scopes/${limited}`, message }]);
    }
    // A name in another alphabet makes no client, and not every caller has one that keys can have.
    const client = [clientFrom(name), caller.client].find((one) => clientFault(one) === undefined) ?? 'portal';
    const until = expiresAt === undefined ? undefined : new Date(expiresAt.toUpperCase());
    const { text, ...key } = await this.keys.create({ name, client, scopes, expiresAt: until }).catch(refused);
    noteChange(key.id);
    return new HttpReply(200, { ...viewOf(key), apiKey: text });
  }

  @Implements(apiKeys.list)
  async list(): Promise<Answer<typeof apiKeys.list>> {
    return { items: (await this.keys.list()).map(viewOf) };
  }

  @Implements(apiKeys.revoke)
  async revoke({ params: { keyId } }: Input<typeof apiKeys.revoke>): Promise<void> {
    if (!(await this.keys.revoke(keyId))) throw new Problem('not-found', `There is no API key with the id ${keyId}.`);
    noteChange(keyId);
  }
}

function refused(error: unknown): never {
  if (!(error instanceof ApiKeyRequestError)) throw error;
  if (error.message.includes('expiry')) throw new Problem('invalid-expiration-date', error.message);
  throw validationFailed([{ pointer: '/name', message: error.message }]);
}

function viewOf(key: ApiKey): Answer<typeof apiKeys.list>['items'][number] {
  const { id, name, client, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, isExpired, isProven } = key;
  return {
    keyId: id,
    ...{ name, client, scopes: [...scopes] },
    state: !isProven ? 'altered' : revokedAt ? 'revoked' : isExpired ? 'expired' : 'active',
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}
