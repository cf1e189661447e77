import { SettingsError } from '@app/config';
import { SqlError } from '@app/event-store';
import { CommanderError } from 'commander';
import { types } from 'node:util';

/** A command that could not do what it was asked for; the message is one sentence that says what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** A command that was called wrongly. */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

/** What goes to stderr and how the process ends: 1 when the work failed, 2 when the command was called wrongly. */
export interface Ending {
  readonly code: 0 | 1 | 2;
  readonly message?: string;
}

/** Never a stack: settings, database and key store say in their message what is wrong and what to do. */
export function endingOf(error: unknown): Ending {
  // Commander has written help or the fault itself; help that was asked for is no fault.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2 };
  if (error instanceof UsageFailure) return { code: 2, message: `${error.message} See --help.` };
  return { code: 1, message: sentenceOf(error) };
}

/** One sentence for any failure. */
export function sentenceOf(error: unknown): string {
  if (error instanceof SqlError) return `The database refused: ${error.message}.`;
  if (error instanceof SettingsError) return error.message;
  if (!(error instanceof Error)) return String(error);
  // AggregateError and some errors of the system have no message of their own.
  const [line = ''] = (error.message || error.name).trim().split('\n');
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return types.isNativeError(error) && 'code' in error ? String(error.code) : 'unknown';
}
