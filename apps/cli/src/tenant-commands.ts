import { ApiKeyRecords, ApiKeys } from '@app/access';
import { type SqlDriver, type Stores, TenantMoveError } from '@app/event-store';
import { scopesOfTenants, type Suspension } from '@app/http';
import { openProofKeys } from '@app/keys';
import { inTenant, tenantIdPattern } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { wholeSeconds } from '@app/primitives/time';
import {
  deleteTenant,
  type FateOfCredentials,
  fatesOfCredentials,
  type MoveStep,
  moveTenant,
  storeNameOf,
  isWithoutCalls,
  restoreTenant,
  resumeTenant,
  statusOf,
  type StoredTenants,
  storedTenants,
  suspendTenant,
  type TenantState,
} from '@app/tenants';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { withTables } from './database';
import { movedContent } from './aggregates';
import { existingStore } from './existing-store';
import { CommandFailure, UsageFailure } from './failure';
import { withStores } from './stores';
import { table } from './table';
import { allTenants, asTenant, findTenant } from './tenant';

/** Who decides on a tenant, by the clock of the database. */
type Decide = Parameters<StoredTenants['records']['decide']>[1];

/** The issuers that share the deployment; what is of one of them is reached by `--tenant` of other commands. */
export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('The issuers that share this deployment.').helpCommand(false);
  tenants
    .command('create')
    .argument('<id>', 'its id, also in its addresses: 2 to 39 of a-z 0-9 and -; never free again')
    .description('Creates a tenant and prints its first API key to stdout once: only its hash is stored.')
    .requiredOption('--name <name>', 'what wallets and pages call the issuer')
    .option(
      '--url <url>',
      'https URL of its own, which leads to the service; below the public URL of the service when absent',
    )
    .option('--store <name>', 'where what is of it is stored, as "stores list" names it; the first one when absent')
    .addHelpText(
      'after',
      '\nExample:\n  sealwright tenants create musterstadt --name Musterstadt --url https://id.musterstadt.example > portal.key',
    )
    .action(create);
  tenants
    .command('list')
    .description('Lists the tenants, the oldest first.')
    .addHelpText('after', '\nExample:\n  sealwright tenants list')
    .action(list);
  withId(tenants.command('show'))
    .description('Prints a tenant as YAML.')
    .addHelpText('after', '\nExample:\n  sealwright tenants show musterstadt')
    .action(show);
  withId(tenants.command('move'))
    .description(
      'Moves what is stored of a tenant to another store; for seconds it is answered with 503. Repeat it when it was interrupted.',
    )
    .requiredOption('--to <store>', 'as "stores list" names it')
    .addHelpText('after', '\nExample:\n  sealwright tenants move musterstadt --to north')
    .action(move);
  withId(tenants.command('suspend'))
    .description('Suspends a tenant; holders go on presenting what it has issued.')
    .addOption(
      new Option('--scope <scope>', 'issuing: nothing new is made; all: its portals are refused as well')
        .choices(['issuing', 'all'])
        .default('issuing'),
    )
    .option('--reason <reason>', 'for operators; the tenant does not see it')
    .addHelpText(
      'after',
      '\nExample:\n  sealwright tenants suspend musterstadt --scope all --reason "Invoice 4711 is open"',
    )
    .action((id: string, { scope, reason }: { scope: Suspension; reason?: string }) =>
      decided(id, (tenant, now) => suspendTenant(tenant, { scope, ...(reason !== undefined && { reason }) }, now)),
    );
  withId(tenants.command('resume'))
    .description('Resumes a suspended tenant.')
    .addHelpText('after', '\nExample:\n  sealwright tenants resume musterstadt')
    .action((id: string) => decided(id, resumeTenant));
  withId(tenants.command('delete'))
    .description(
      'Deletes a tenant: it is suspended at once, can be restored for some days, and then loses its keys and data.',
    )
    .addOption(
      new Option('--credentials <fate>', 'what its status lists say afterwards')
        .choices(fatesOfCredentials)
        .default('keep-status'),
    )
    .option('--yes', 'confirm')
    .addHelpText('after', '\nExample:\n  sealwright tenants delete musterstadt --yes')
    .action(remove);
  withId(tenants.command('restore'))
    .description('Restores a deleted tenant, while that is possible.')
    .addHelpText('after', '\nExample:\n  sealwright tenants restore musterstadt')
    .action((id: string) => decided(id, restoreTenant));
}

function move(id: string, { to }: { to: string }): Promise<void> {
  return withTenants(async (stored, driver, _password, _regretDays, stores) => {
    await findTenant(stored, id);
    const content = movedContent(existingStore(driver, undefined));
    const say = (step: MoveStep): void => {
      process.stderr.write(`${said[step]}\n`);
    };
    await moveTenant(stored, stores, content, id, to, { onStep: say });
    process.stdout.write(`${id}: in the store ${to}.\n`);
  });
}

const said: Readonly<Record<MoveStep, string>> = {
  begun: 'Replicas are told that the tenant moves, and answer 503 for it.',
  'held-back': 'The store takes nothing more of it.',
  handled: 'Its events have been handed out; copying.',
  copied: 'Everything is copied, and both stores have the same.',
  passed: 'The readers of the other store have passed it.',
  switched: 'It is served by the other store; replicas follow within seconds.',
  removed: 'Nothing can be read of it in the former store.',
};

function withId(command: Command): Command {
  return command.argument('<id>', 'the tenant as "tenants list" names it');
}

function create(id: string, { name, url, store }: { name: string; url?: string; store?: string }): Promise<void> {
  if (!new RegExp(tenantIdPattern).test(id)) {
    throw new UsageFailure('The id of a tenant is 2 to 39 characters of a-z 0-9 -, the first one a letter or digit.');
  }
  const displayName = name.trim();
  if (displayName === '' || displayName.length > 256) throw new UsageFailure('--name takes 1 to 256 characters.');
  return withTenants(async (stored, driver, password) => {
    const content = { displayName, ...(url !== undefined && { publicUrl: url }), settings: {}, limits: {} };
    const keys = new ApiKeys(new ApiKeyRecords(driver, await openProofKeys(driver, password)));
    const { tenant } = await stored.records.create(
      id,
      content,
      (found) => isWithoutCalls(keys, asTenant(found)),
      store,
    );
    const asked = { name: 'first key', scopes: scopesOfTenants };
    const { text } = await inTenant(asTenant(tenant), () => keys.create(asked));
    process.stderr.write(
      `The tenant ${id} is at ${stored.registry.urlOf(id, content)}. Save its API key now: it is not shown again.\n`,
    );
    process.stdout.write(`${text}\n`);
  });
}

function list(): Promise<void> {
  return withTenants(async (stored) => {
    const rows = (await allTenants(stored)).map((tenant) => [
      tenant.tenantId,
      statusOf(tenant),
      wholeSeconds(new Date(tenant.createdAt)),
      stored.registry.urlOf(tenant.tenantId, tenant.content),
      tenant.content.displayName,
    ]);
    process.stdout.write(table(['ID', 'STATUS', 'CREATED', 'URL', 'NAME'], rows));
  });
}

function show(id: string): Promise<void> {
  return withTenants(async (stored) => {
    const tenant = await findTenant(stored, id);
    const { content, createdAt, suspension, deletion, move } = tenant;
    const shown = {
      tenantId: id,
      displayName: content.displayName,
      status: statusOf(tenant),
      url: stored.registry.urlOf(id, content),
      store: storeNameOf(tenant),
      ...(move && { move }),
      settings: content.settings,
      limits: content.limits,
      createdAt,
      ...(suspension && { suspension }),
      ...(deletion && { deletion }),
    };
    process.stdout.write(stringify(shown));
  });
}

function remove(id: string, { credentials, yes }: { credentials: FateOfCredentials; yes?: true }): Promise<void> {
  return withTenants(async (stored, _driver, _password, regretDays) => {
    await findTenant(stored, id);
    if (yes !== true) {
      throw new UsageFailure(
        `After ${regretDays} days the keys and the personal data of ${id} cannot be had back, and its id is never free again: ` +
          'repeat the command with --yes if that is what you want.',
      );
    }
    await decide(stored, id, (tenant, now) => deleteTenant(tenant, credentials, now, regretDays));
  });
}

function decided(id: string, decision: Decide): Promise<void> {
  return withTenants(async (stored) => {
    await findTenant(stored, id);
    await decide(stored, id, decision);
  });
}

async function decide(stored: StoredTenants, id: string, decision: Decide): Promise<void> {
  const { tenant } = await stored.records.decide(id, decision);
  process.stdout.write(`${id}: ${stateOf(tenant)}.\n`);
  process.stderr.write('Running replicas follow within seconds.\n');
}

function stateOf(tenant: TenantState): string {
  const { suspension, deletion } = tenant;
  if (deletion) return `${statusOf(tenant)}, can be restored until ${deletion.restorableUntil}`;
  return suspension ? `${statusOf(tenant)} for ${suspension.scope}` : statusOf(tenant);
}

type Work = (
  stored: StoredTenants,
  driver: SqlDriver,
  password: string,
  regretDays: number,
  stores: Stores,
) => Promise<void>;

function withTenants(work: Work): Promise<void> {
  return withTables(async (driver, settings) => {
    const { strongholdPassword } = settings.secretManager;
    const proofs = await openProofKeys(driver, strongholdPassword);
    try {
      await withStores(driver, settings, (stores) =>
        work(
          storedTenants(driver, settings, proofs, stores),
          driver,
          strongholdPassword,
          settings.tenants.regretDays,
          stores,
        ),
      );
    } catch (error) {
      if (error instanceof TenantMoveError) throw new CommandFailure(error.message);
      if (!(error instanceof Problem)) throw error;
      const [violation] = error.violations;
      throw new CommandFailure(violation ? `${violation.pointer}: ${violation.message}.` : error.detail);
    }
  });
}
