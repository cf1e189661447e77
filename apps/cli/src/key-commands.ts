import {
  type AdoptedKey,
  changePassword,
  type KeyRing,
  SignerError,
  signingPolicy,
  listCheckpointKeys,
  listSigningKeys,
  openExistingCertificateKeys,
  openExistingKeys,
  type SigningAlgorithm,
  signingAlgorithms,
  rewrap,
} from '@app/keys';
import type { SqlDriver } from '@app/event-store';
import { wholeSeconds } from '@app/primitives/time';
import { Command, Option } from 'commander';
import { passwordFault } from '@app/config';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { aboutObject } from './command-audit';
import { withTables } from './database';
import { everyFurther, withStores } from './stores';
import { CommandFailure, UsageFailure, codeOf } from './failure';
import { table } from './table';
import { counted } from './counted';
import { type OfTenant, tenantOption } from './tenant';
import { ProgressLine } from './progress-line';

/** Milliseconds within which every replica has read the key store. */
const readWithin = 5_000;
/** Milliseconds: the lease of a replica that does not get to look, and some for its last statement. */
const lease = 20_000;

const thumbprint = /^[\w-]{43}$/;

/** The signing keys, which all replicas share through the database. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('The signing keys.').helpCommand(false);
  keys
    .command('list')
    .description('Lists the signing keys: active ones sign, retired ones only verify, revoked ones do neither.')
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright keys list')
    .action(list);
  keys
    .command('adopt')
    .argument('<reference>', 'the key as its provider names it')
    .requiredOption('--provider <name>', 'the signer as the settings name it')
    .addOption(tenantOption())
    .description('Activates a key that was made at a signer outside of this service; the one before stays published.')
    .addHelpText('after', '\nExample:\n  sealwright keys adopt --provider hsm 0a1b2c')
    .action((reference: string, { provider, tenant }: OfTenant & { provider: string }) =>
      takeIn((ring) => ring.adopt(provider.toLowerCase(), reference), tenant),
    );
  keys
    .command('generate')
    .requiredOption('--provider <name>', 'the signer as the settings name it')
    .addOption(new Option('--algorithm <algorithm>', 'of the key').choices(signingAlgorithms).default('ES256'))
    .addOption(tenantOption())
    .description('Has a signer outside of this service make a key, and activates it.')
    .addHelpText('after', '\nExample:\n  sealwright keys generate --provider hsm')
    .action(({ provider, algorithm, tenant }: OfTenant & { provider: string; algorithm: SigningAlgorithm }) =>
      takeIn((ring) => ring.generate(provider.toLowerCase(), algorithm), tenant),
    );
  keys
    .command('rotate')
    .description('Activates a new key; the old one stays published, so that its signatures still verify.')
    .addOption(
      new Option('--algorithm <algorithm>', 'rotate only this key; both when absent').choices(signingAlgorithms),
    )
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright keys rotate --algorithm ES256')
    .action(({ algorithm, tenant }: OfTenant & { algorithm?: SigningAlgorithm }) =>
      rotate(algorithm ? [algorithm] : signingAlgorithms, tenant),
    );
  keys
    .command('revoke')
    .argument('<kid>', 'the key as "keys list" names it')
    .option('--yes', 'confirm: this cannot be undone')
    .addOption(tenantOption())
    // A thumbprint may begin with a dash.
    .allowUnknownOption()
    .description('Permanently stops using and publishing a key that was compromised.')
    .addHelpText('after', '\nExample:\n  sealwright keys revoke NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --yes')
    .action((kid: string, { yes, tenant }: OfTenant & { yes?: true }) => revoke(kid, yes === true, tenant));
  keys
    .command('password')
    .option('--file <file>', 'file with the new password; when absent it is read from stdin or prompted for')
    .description('Changes the password of the key store. Running replicas continue; later starts need the new one.')
    .addHelpText('after', '\nExample:\n  sealwright keys password --file /run/secrets/new-password')
    .action(({ file }: { file?: string }) => password(file));
  keys
    .command('rewrap')
    .description(
      'Activates a new root key and reseals all keys under it while replicas run. It can be interrupted and repeated.',
    )
    .addHelpText('after', '\nExample:\n  sealwright keys rewrap')
    .action(rewrapKeys);
  keys
    .command('checkpoints')
    .description('Prints the public checkpoint keys as a JWK Set, to verify checkpoints elsewhere.')
    .addHelpText('after', '\nExample:\n  sealwright keys checkpoints > checkpoint-keys.json')
    .action(publishCheckpointKeys);
}

async function password(file: string | undefined): Promise<void> {
  const next = await newPassword(file);
  await withTables(async (driver, { secretManager: { strongholdPassword: current } }) => {
    if (next.normalize('NFKC') === current.normalize('NFKC'))
      throw new UsageFailure('The new password is the same as the old one.');
    await changePassword(driver, current, next);
    process.stdout.write('The password is changed.\n');
    process.stderr.write(
      'Set SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD to the new one now: running replicas continue, later starts need it.\n' +
        'Earlier backups still open with the old one; after "sealwright keys rewrap" it no longer opens new data.\n',
    );
  });
}

function publishCheckpointKeys(): Promise<void> {
  return withTables(async (driver) => {
    const found = await listCheckpointKeys(driver);
    if (found.length === 0) throw new CommandFailure('There is no key for checkpoints yet: start the service once.');
    // RFC 8037 §3.1
    const keys = found.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'EdDSA' }));
    process.stdout.write(`${JSON.stringify({ keys }, undefined, 2)}\n`);
  });
}

function list({ tenant }: OfTenant): Promise<void> {
  return withTables(async (driver) => {
    const rows = (await listSigningKeys(driver)).map(({ kid, algorithm, status, createdAt, provider, reference }) => [
      kid,
      algorithm,
      status,
      wholeSeconds(createdAt),
      provider === null ? 'local' : `${provider} ${reference ?? ''}`,
    ]);
    process.stdout.write(table(['KID', 'ALGORITHM', 'STATE', 'CREATED', 'SIGNER'], rows));
  }, tenant);
}

function takeIn(take: (ring: KeyRing) => Promise<AdoptedKey>, tenant: string | undefined): Promise<void> {
  return withTables(async (driver, { secretManager, signer }) => {
    const ring = await openExistingKeys(driver, secretManager.strongholdPassword, await signingPolicy(signer));
    try {
      const { kid, algorithm, reference } = await take(ring);
      aboutObject(kid);
      process.stdout.write(`${algorithm}: ${kid} is ${reference}.\n`);
      process.stderr.write(
        'It signs what the settings have its signer sign. Running replicas follow within seconds.\n',
      );
    } catch (error) {
      if (error instanceof SignerError) throw new CommandFailure(`${error.message}. See docs/keys.md.`);
      throw error;
    } finally {
      await ring.onApplicationShutdown();
    }
  }, tenant);
}

function rotate(algorithms: readonly SigningAlgorithm[], tenant: string | undefined): Promise<void> {
  return withTables(async (driver, { secretManager }) => {
    const ring = await openExistingKeys(driver, secretManager.strongholdPassword);
    for (const algorithm of algorithms) {
      const old = ring.localKey(algorithm).kid;
      const wasCertified = ring.chainOf(old) !== undefined;
      await ring.rotate(algorithm);
      process.stdout.write(`${algorithm}: ${ring.localKey(algorithm).kid} signs from now on, ${old} is retired.\n`);
      if (wasCertified) process.stderr.write(`${withoutCertificate}\n`);
    }
    process.stderr.write('Running replicas follow within seconds.\n');
  }, tenant);
}

const withoutCertificate =
  'The new key has no certificate, so credentials carry none: run "sealwright certificates request --use credentials". ' +
  'To rotate without a gap, run that first: the key it makes takes over with its certificate.';

function revoke(kid: string, confirmed: boolean, tenant: string | undefined): Promise<void> {
  if (!thumbprint.test(kid)) throw new UsageFailure('A key is named by the 43 characters that "keys list" shows.');
  return withTables(async (driver, { secretManager }) => {
    const known = (await listSigningKeys(driver)).find((key) => key.kid === kid);
    if (!known) {
      await revokeCertificateKey(driver, secretManager.strongholdPassword, kid, confirmed);
      return;
    }
    if (known.status === 'revoked') {
      process.stdout.write(`${kid} is already revoked.\n`);
      return;
    }
    if (!confirmed) {
      throw new UsageFailure(
        `Signatures of ${kid} will no longer verify, and credentials it signed have to be reissued: ` +
          'repeat the command with --yes if that is what you want.',
      );
    }
    const ring = await openExistingKeys(driver, secretManager.strongholdPassword);
    await ring.revoke(kid);
    const next =
      known.provider === null
        ? `${ring.localKey(known.algorithm).kid} signs with ${known.algorithm}`
        : `adopt another key of ${known.provider}, which signs nothing until then`;
    process.stdout.write(`${kid} is revoked; ${next}.\n`);
    process.stderr.write(
      'Running replicas stop using it within seconds; caches of verifiers may list it for a minute more.\n' +
        'Its signatures no longer verify: reissue those credentials.\n',
    );
  }, tenant);
}

/** Of a key that signs authorization requests, documents or metadata under a certificate, or waits for one. */
async function revokeCertificateKey(
  driver: SqlDriver,
  password: string,
  kid: string,
  confirmed: boolean,
): Promise<void> {
  const { keys } = await openExistingCertificateKeys(driver, password);
  const known = keys.all().find((key) => key.kid === kid);
  if (!known) {
    const lists = '"sealwright keys list" and "sealwright certificates list"';
    throw new CommandFailure(`There is no signing key ${kid}; see ${lists}.`);
  }
  if (!confirmed && known.status !== 'revoked') {
    const lost =
      known.kind === 'documents'
        ? 'Documents and status lists are no longer signed under the certificate of'
        : known.kind === 'metadata'
          ? 'Wallets no longer accept the metadata that they have under the certificate of'
          : 'Authorization requests can no longer be answered under the certificate of';
    throw new UsageFailure(`${lost} ${kid}: repeat the command with --yes if that is what you want.`);
  }
  await keys.revoke(kid);
  process.stdout.write(`${kid} is revoked; its certificate is no longer used.\n`);
}

/**
 * A new password of the key store: from a file, from a pipe, or typed twice at a terminal, where it is not shown. Never an
 * argument, which other users of the machine can see. One line end behind it is not part of it.
 */
async function newPassword(file: string | undefined): Promise<string> {
  const given = file === undefined ? await typedPassword() : await passwordIn(file);
  const password = given.replace(/\r?\n$/, '');
  const fault = passwordFault(password);
  if (fault) throw new UsageFailure(`The new password is ${fault.found}: ${fault.remedy}.`);
  return password;
}

async function passwordIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageFailure(`The file with the new password cannot be read (${codeOf(error)}).`);
  }
}

async function typedPassword(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    process.stderr.write('New password: ');
    const first = await terminal.question('');
    process.stderr.write('\nRepeat the new password: ');
    const second = await terminal.question('');
    process.stderr.write('\n');
    if (first !== second) throw new UsageFailure('The two passwords differ: nothing was changed.');
    return first;
  } finally {
    terminal.close();
  }
}

/** Changes the root key, says what happens on stderr, and fails when a key cannot be opened. */
function rewrapKeys(): Promise<void> {
  return withTables((driver, settings) =>
    withStores(driver, settings, async (stores) => {
      const {
        secretManager: { strongholdPassword },
        http: { requestSeconds },
      } = settings;
      const further = await everyFurther(driver, settings, stores, 'Changing the root key');
      const line = new ProgressLine();
      let dataKeys = 0;
      // An embedded database is this process's alone.
      const isShared = driver.kind === 'postgres';
      const pauses = isShared
        ? { knownMs: readWithin, settledMs: lease + requestSeconds * 1_000 }
        : { knownMs: 0, settledMs: 0 };
      const { closed } = await rewrap(
        driver,
        strongholdPassword,
        pauses,
        {
          step: (said) => {
            line.end();
            process.stderr.write(`${said}\n`);
          },
          dataKeys: (done) => {
            line.show('data keys', done, undefined);
            dataKeys = done;
          },
        },
        further,
      );
      line.end();
      process.stdout.write(`A new root key is active, with ${counted(dataKeys, 'data key')} sealed under it.\n`);
      if (closed.length === 0) return;
      process.stdout.write(closed.map((key) => `${key}\n`).join(''));
      throw new CommandFailure(
        `${counted(closed.length, 'key')} cannot be opened, as before: see "sealwright verify-store".`,
      );
    }),
  );
}
