import { type ApiKey, ApiKeyRecords, ApiKeyRequestError, ApiKeys } from '@app/access';
import { meant } from '@app/primitives/json';
import { openProofKeys } from '@app/keys';
import { isDateTime, isDuration, plusDuration, wholeSeconds } from '@app/primitives/time';
import { type Scope, scopes, scopesOfTenants } from '@app/http';
import { Command, InvalidArgumentError, Option } from 'commander';
import { aboutObject } from './command-audit';
import { withTables } from './database';
import { CommandFailure, UsageFailure } from './failure';
import { table } from './table';
import { type OfTenant, tenantOption } from './tenant';

interface NewKeyOptions extends OfTenant {
  readonly name: string;
  readonly client?: string;
  readonly scope: readonly Scope[];
  readonly expires?: string;
}

/** The keys with which portals call the management API. */
export function addApiKeyCommands(program: Command): void {
  const keys = program.command('api-keys').description('The API keys of management callers.').helpCommand(false);
  keys
    .command('create')
    .description('Creates a key and prints it to stdout once: only its hash is stored.')
    .requiredOption('--name <name>', 'what the key is for, 1 to 100 characters')
    .option(
      '--client <client>',
      'the portal it belongs to; a new key of the same client replaces an older one without interruption (default: derived from the name)',
    )
    .addOption(
      new Option(
        '--scope <scope...>',
        'what it allows; may be repeated; "deliver" shows the links of offers or requests',
      )
        .choices(scopes)
        .argParser(scopesAnd)
        .makeOptionMandatory(),
    )
    .option('--expires <when>', 'a duration from now (P90D), a day (2027-06-30) or a date-time; never when absent')
    .addOption(tenantOption())
    .addHelpText(
      'after',
      '\nExample:\n  sealwright api-keys create --client portal --name "portal, autumn" --scope offers:write offers:deliver credentials:write --expires P90D > portal.key',
    )
    .action(create);
  keys
    .command('list')
    .description(
      'Lists the keys without their values, oldest first. "altered": the row was changed directly in the database, and the key is rejected.',
    )
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright api-keys list')
    .action(list);
  keys
    .command('revoke')
    .argument('<id>', 'the key as "api-keys list" names it')
    .addOption(tenantOption())
    .description('Revokes a key permanently; every replica rejects it within five seconds.')
    .addHelpText('after', '\nExample:\n  sealwright api-keys revoke 0aB3dE7x')
    .action(revoke);
}

function scopesAnd(scope: string, before: readonly Scope[] = []): readonly Scope[] {
  const known = scopes.find((one) => one === scope);
  if (known) return [...before, known];
  throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}${meant(scope, scopes) || '.'}`);
}

function create({ name, client, scope, expires, tenant }: NewKeyOptions): Promise<void> {
  const denied = tenant === undefined ? undefined : scope.find((one) => !scopesOfTenants.includes(one));
  if (denied !== undefined)
    throw new UsageFailure(`A tenant has nothing to do with tenants: leave out --scope ${denied}.`);
  const expiresAt = expires === undefined ? undefined : momentOf(expires, new Date());
  return withKeys(tenant, async (keys) => {
    const made = await keys.create({ name, client, scopes: scope, expiresAt }).catch((error: unknown) => {
      throw error instanceof ApiKeyRequestError ? new UsageFailure(error.message) : error;
    });
    aboutObject(made.id);
    process.stderr.write(
      `Key ${made.id} for ${made.name}, of the client ${made.client}, with ${made.scopes.join(', ')}, ${lifeOf(made)}. Save it now: it is not shown again.\n`,
    );
    process.stdout.write(`${made.text}\n`);
  });
}

function list({ tenant }: OfTenant): Promise<void> {
  return withKeys(tenant, async (keys) => {
    const rows = (await keys.list()).map((key) => [
      key.id,
      stateOf(key),
      wholeSeconds(key.createdAt),
      key.expiresAt ? wholeSeconds(key.expiresAt) : 'never',
      key.lastUsedAt ? wholeSeconds(key.lastUsedAt) : 'never',
      key.client,
      key.scopes.join(','),
      key.name,
    ]);
    process.stdout.write(table(['ID', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'CLIENT', 'SCOPES', 'NAME'], rows));
  });
}

function revoke(id: string, { tenant }: OfTenant): Promise<void> {
  return withKeys(tenant, async (keys) => {
    const revoked = await keys.revoke(id);
    if (!revoked) throw new CommandFailure(`There is no API key ${id}; see "sealwright api-keys list".`);
    process.stdout.write(`Key ${id} (${revoked.name}) is revoked; every replica rejects it within five seconds.\n`);
  });
}

function withKeys(tenant: string | undefined, work: (keys: ApiKeys) => Promise<void>): Promise<void> {
  return withTables(async (driver, { secretManager }) => {
    const proofs = await openProofKeys(driver, secretManager.strongholdPassword);
    await work(new ApiKeys(new ApiKeyRecords(driver, proofs)));
  }, tenant);
}

/** A day begins at midnight UTC. */
function momentOf(text: string, now: Date): Date {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return momentOf(`${text}T00:00:00Z`, now);
  if (isDuration(text)) return plusDuration(now, text);
  if (isDateTime(text)) return new Date(text);
  throw new UsageFailure('--expires takes a duration such as P90D, a day such as 2027-06-30 or a date-time.');
}

function lifeOf({ expiresAt }: ApiKey): string {
  return expiresAt ? `until ${wholeSeconds(expiresAt)}` : 'without end';
}

function stateOf({ isProven, revokedAt, isExpired }: ApiKey): string {
  if (!isProven) return 'altered';
  if (revokedAt) return 'revoked';
  return isExpired ? 'expired' : 'live';
}
