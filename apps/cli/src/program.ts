import { Command } from 'commander';
import { effectiveSettings } from '@app/config';
import { stringify } from 'yaml';
import { productVersion } from '../../server/src/index';
import { addApiKeyCommands } from './api-key-commands';
import { addCertificateCommands } from './certificate-commands';
import { runAudited } from './command-audit';
import { addDoctorCommand } from './doctor-command';
import { endingOf } from './failure';
import { addErasureCommands } from './erasure-commands';
import { addErasureKeyCommands } from './erasure-key-commands';
import { addGrantsCommand } from './grants-command';
import { addKeyCommands } from './key-commands';
import { addStoreCommands } from './store-commands';
import { addStoresCommand } from './stores-command';
import { addTenantCommands } from './tenant-commands';
import { addTrustCommands } from './trust-commands';
import { addWebhookCommands } from './webhook-commands';
import { readSettings } from './settings';

const settingsHint = `
Settings come from the environment, .env and the file SERVICE__CONFIG_FILE names, as for the service.
Exit code: 0 on success, 1 on failure, 2 on wrong usage.`;

/** Runs one command line; answers the exit code. Results go to stdout, everything else to stderr. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    await runAudited(sealwright(), argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const { code, message } = endingOf(error);
    if (message !== undefined) process.stderr.write(`${message}\n`);
    return code;
  }
}

function sealwright(): Command {
  const program = new Command('sealwright')
    .description('Operates a Sealwright service: its database, keys and settings.')
    .version(productVersion(), '-V, --version', 'print the version of this release')
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText('after', settingsHint)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => {
        write(
          `${text
            .trim()
            .replace(/^error: /, 'Wrong usage: ')
            .replace(/\.+$/, '')}. See --help.\n`,
        );
      },
    });
  addStoreCommands(program);
  addStoresCommand(program);
  addGrantsCommand(program);
  addErasureCommands(program);
  addErasureKeyCommands(program);
  addKeyCommands(program);
  addCertificateCommands(program);
  addTrustCommands(program);
  addApiKeyCommands(program);
  addTenantCommands(program);
  addWebhookCommands(program);
  addConfigCommand(program);
  addDoctorCommand(program);
  return program;
}

function addConfigCommand(program: Command): void {
  const config = program.command('config').description('The settings.').helpCommand(false);
  config
    .command('print')
    .description('Prints the effective settings as YAML, with secrets redacted. Needs no database.')
    .addHelpText('after', '\nExample:\n  sealwright config print')
    .action(async () => {
      process.stdout.write(stringify(effectiveSettings(await readSettings())));
    });
}
