import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startService } from '../support/service/service';
import { root } from './dockerfile';

/** The exit code with which the container engine decides. */
async function check(address: string): Promise<unknown> {
  const program = join(root, 'dist/apps/server/src/healthcheck.js');
  const [code] = (await once(spawn(process.execPath, [program, address], { stdio: 'inherit' }), 'exit')) as unknown[];
  return code;
}

it('the health check of the image reports whether the service answers', async () => {
  const service = await startService();
  expect(await check(`${service.url}/livez`)).toBe(0);
  expect(await check(`${service.url}/nowhere`)).toBe(1);
  await service.stop();
  expect(await check(`${service.url}/livez`)).toBe(1);
});
