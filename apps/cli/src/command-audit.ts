import { recordAudit, type SqlDriver } from '@app/event-store';
import type { Command } from 'commander';
import { AsyncLocalStorage } from 'node:async_hooks';
import { userInfo } from 'node:os';
import { CommandFailure, sentenceOf, UsageFailure } from './failure';

interface RunningCommand {
  /** `keys.rotate` for `sealwright keys rotate`; undefined until commander has found it. */
  action?: string;
  object: string | null;
}

/** Of the ids that commands take. What is longer may be a whole key, given by mistake. */
const longestId = 43;

const running = new AsyncLocalStorage<RunningCommand>();

/** They show neither secrets nor personal data. Every other command that opens the tables is recorded. */
const unrecorded: ReadonlySet<string> = new Set([
  'keys.list',
  'keys.checkpoints',
  'certificates.list',
  'api-keys.list',
  'tenants.list',
  'tenants.show',
  'webhooks.list',
  'webhooks.deliveries',
]);
/** They change nothing, so they go on where nothing can be written, as on a standby. */
const reading: ReadonlySet<string> = new Set(['verify-store']);

/** Runs a whole command line, so that what opens the tables further in can be recorded as this command. */
export function runAudited(program: Command, argv: readonly string[]): Promise<unknown> {
  program.hook('preAction', (_, command) => {
    const current = running.getStore();
    if (!current) return;
    const [first = ''] = command.args;
    current.action = nameOf(command);
    current.object = first !== '' && first.length <= longestId ? first : null;
  });
  return running.run({ object: null }, () => program.parseAsync([...argv]));
}

/** Says what the running command is about, where that is not its argument. */
export function aboutObject(object: string): void {
  const current = running.getStore();
  if (current) current.object = object;
}

/** Whether the running command leaves rows in the audit. */
export function isRecorded(): boolean {
  const action = running.getStore()?.action;
  return action !== undefined && !unrecorded.has(action);
}

/**
 * Does the work of the running command between two rows of the audit: `started`, without which it does not begin, and how it
 * ended. A command that is killed leaves the first alone.
 * @param canRecord whether there is an audit yet; asked before and after
 */
export async function recorded<T>(
  driver: SqlDriver,
  work: () => Promise<T>,
  canRecord: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<T> {
  const current = running.getStore();
  if (current?.action === undefined || !isRecorded()) return work();
  if (await canRecord()) await begin(driver, current, current.action);
  try {
    const result = await work();
    await end(driver, current, 'ok', canRecord);
    return result;
  } catch (error) {
    await end(driver, current, error instanceof UsageFailure ? 'refused' : 'failed', canRecord);
    throw error;
  }
}

async function begin(driver: SqlDriver, current: RunningCommand, action: string): Promise<void> {
  try {
    await record(driver, current, 'started');
  } catch (error) {
    if (!reading.has(action)) {
      throw new CommandFailure(
        `Nothing was done, because it cannot be recorded in the audit. ${sentenceOf(error)} Run "sealwright doctor" for details.`,
      );
    }
    process.stderr.write(`Not recorded in the audit: ${sentenceOf(error)}\n`);
  }
}

async function end(
  driver: SqlDriver,
  current: RunningCommand,
  outcome: string,
  canRecord: () => Promise<boolean>,
): Promise<void> {
  try {
    if (await canRecord()) await record(driver, current, outcome);
  } catch (error) {
    // What was done is done; the row "started" stands.
    process.stderr.write(`The outcome could not be recorded in the audit (${outcome}): ${sentenceOf(error)}\n`);
  }
}

function record(driver: SqlDriver, { action = 'unknown', object }: RunningCommand, outcome: string): Promise<void> {
  return recordAudit(driver, { principal: `cli:${osUser()}`, client: null, action, object, outcome, requestId: null });
}

function nameOf(command: Command): string {
  const { parent } = command;
  // The program itself has no parent.
  return parent?.parent ? `${nameOf(parent)}.${command.name()}` : command.name();
}

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that has no name.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
