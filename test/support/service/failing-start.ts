import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const main = join(__dirname, '../../../dist/apps/server/src/main.js');

/**
 * Starts the built service with exactly these settings and waits for its end.
 * @param meanwhile what happens to it until then
 */
export function failingStart(
  settings: Record<string, string>,
  meanwhile?: (child: ChildProcess) => Promise<unknown>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [main], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    meanwhile?.(child).catch(reject);
    child.once('exit', (code) => {
      resolve({ code, output });
    });
  });
}
