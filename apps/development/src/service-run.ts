import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './sources';

/** Compiles what has changed. @returns whether it could be; if not, the reason has been printed */
export async function compiled(): Promise<boolean> {
  const compiler = spawn(process.execPath, [join(__dirname, 'compile.js')], { stdio: 'inherit' });
  const [code] = (await once(compiler, 'exit')) as [number | null];
  return code === 0;
}

/** One run of the built service, with the terminal and the environment of this process. */
export class ServiceRun {
  private readonly child: ChildProcess;
  /** The exit code; 1 when a signal has ended it. */
  readonly ended: Promise<number>;

  constructor() {
    // PGlite, compiled quickly rather than well, and a small heap take 110 MB less.
    const program = ['--liftoff-only', '--optimize-for-size', join(root, 'dist/apps/server/src/main.js')];
    this.child = spawn(process.execPath, program, { stdio: 'inherit' });
    this.ended = once(this.child, 'exit').then(([code]) => (code as number | null) ?? 1);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.child.kill(signal);
    return this.ended;
  }
}
