import type { Prover, Reached } from '@app/event-store';
import { canonicalJson } from '@app/primitives/json';
import type { CheckingKeys } from '@app/keys';
import { access, constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, UsageFailure } from './failure';
import type { StoreCommand } from './store-threads';

export const resumeOption = [
  '--resume <file>',
  'note the position in this file, and go on from there when a run before was interrupted',
] as const;

/** What a run that was interrupted has left. */
export interface Position {
  readonly command: StoreCommand;
  /** RFC 3339 */
  readonly begunAt: string;
  /** The last checkpoint when it began, as it was signed. */
  readonly checkpoint: string | null;
  readonly reached: Reached;
}

/** Milliseconds between two notes. */
const pause = 2_000;
/** Milliseconds. What was checked longer ago is checked again. */
const longest = 24 * 60 * 60 * 1000;

/**
 * How far a command has come, in a file outside of the database: who can change the database can neither change the file nor
 * make one, for it carries a proof under the key of proofs.
 */
export class PositionFile {
  private notedAt = -pause;
  private writing: Promise<void> = Promise.resolve();
  private hasFailed = false;

  private constructor(
    private readonly file: string,
    private readonly prover: Prover,
    readonly start: Omit<Position, 'reached'>,
    /** How far the run before came. */
    readonly from: Reached | undefined,
  ) {}

  /**
   * Reads the file; one that does not exist, or that was begun a day ago, starts at the beginning. Throws `UsageFailure`.
   * @param checkpoint the last one now
   */
  static async open(
    file: string,
    keys: CheckingKeys | { readonly reason: string },
    { command, checkpoint }: { readonly command: StoreCommand; readonly checkpoint: string | undefined },
  ): Promise<PositionFile> {
    if ('reason' in keys || !keys.proofs.exist) {
      throw new UsageFailure('--resume needs the keys of the database: without them nothing proves the position.');
    }
    const prover = keys.proofs.for('positions');
    const before = await readPosition(file, prover);
    if (before && before.command !== command) {
      throw new UsageFailure(`The file of --resume was written by "sealwright ${before.command}": name another one.`);
    }
    // Now, and not when hours of work are to be noted.
    await access(dirname(file), constants.W_OK).catch((error: unknown) => {
      throw new UsageFailure(`The file of --resume cannot be written (${codeOf(error)}).`);
    });
    const isFresh = before !== undefined && Date.now() - Date.parse(before.begunAt) < longest;
    if (isFresh) return new PositionFile(file, prover, before, before.reached);
    const start = { command, begunAt: new Date().toISOString(), checkpoint: checkpoint ?? null };
    return new PositionFile(file, prover, start, undefined);
  }

  /** Writes the position down, every two seconds at most. */
  note(reached: Reached): void {
    const now = performance.now();
    if (now - this.notedAt < pause) return;
    this.notedAt = now;
    const { command, begunAt, checkpoint } = this.start;
    const content = canonicalJson({ command, begunAt, checkpoint, reached });
    const proof = this.prover.prove(Buffer.from(content)).toString('base64url');
    this.writing = this.writing
      .then(() => this.write(`${content}\n${proof}\n`))
      .catch((error: unknown) => {
        this.failed(error);
      });
  }

  /** The work is done: there is nothing to go on with. */
  async remove(): Promise<void> {
    await this.writing;
    await rm(this.file, { force: true });
  }

  private async write(text: string): Promise<void> {
    // An interruption leaves the note before, or this one, and no half of it.
    await writeFile(`${this.file}.new`, text, { mode: 0o600 });
    await rename(`${this.file}.new`, this.file);
  }

  /** The work itself goes on. */
  private failed(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    process.stderr.write(`The file of --resume cannot be written (${codeOf(error)}): the position is not noted.\n`);
  }
}

async function readPosition(file: string, prover: Prover): Promise<Position | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    throw new UsageFailure(`The file of --resume cannot be read (${code}).`);
  });
  if (text === undefined) return undefined;
  const [content = '', proof = ''] = text.split('\n');
  if (!prover.check(Buffer.from(content), Buffer.from(proof, 'base64url'))) {
    throw new UsageFailure(
      'The file of --resume is no position that this command wrote for this database: remove it to begin anew.',
    );
  }
  // What is proven is what was noted.
  return JSON.parse(content) as Position;
}
