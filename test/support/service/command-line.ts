import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../apps/cli/src/program';

export const program = join(__dirname, '../../../dist/apps/cli/src/main.js');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the built command line in a process of its own, with exactly these settings.
 * @param directory where it runs; a `.env` file there is read
 */
export function sealwright(
  parameters: readonly string[],
  settings: Readonly<Record<string, string>>,
  directory?: string,
): Promise<Ran> {
  if (!existsSync(program)) throw new Error('The product is not built: run "npm run build" first.');
  const env = { PATH: process.env['PATH'], ...settings };
  const child = spawn(process.execPath, [program, ...parameters], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(directory !== undefined && { cwd: directory }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs the command line in this process: for output that needs no settings. */
export async function sealwrightHere(parameters: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const kept = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk);
      return true;
    }),
  );
  try {
    return { code: await run(['node', 'sealwright', ...parameters]), ...written };
  } finally {
    for (const spy of kept) spy.mockRestore();
  }
}

/** As `sealwrightHere`, with these settings alone, in the development profile unless they name another. */
export async function sealwrightWith(
  settings: Readonly<Record<string, string>>,
  parameters: readonly string[],
): Promise<Ran> {
  const before = process.env;
  process.env = { PATH: before['PATH'], SERVICE__PROFILE: 'development', ...settings };
  try {
    return await sealwrightHere(parameters);
  } finally {
    process.env = before;
    // The doctor sets that of its process, which is the one of the tests.
    process.exitCode = undefined;
  }
}
