import { effectiveSettings } from '@app/config';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { readSettings } from './settings';

export function addConfigCommand(program: Command): void {
  const config = program.command('config').description('The settings.').helpCommand(false);
  config
    .command('print')
    .description('Prints the effective settings as YAML, with secrets redacted. Needs no database.')
    .addHelpText('after', '\nExample:\n  sealwright config print')
    .action(async () => {
      process.stdout.write(stringify(effectiveSettings(await readSettings())));
    });
}
