import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../support/service/service';
import { answersOf, mistakesPage } from './page';
import { openPortal } from './portal';

/** Writes docs/mistakes.md. Run from the root of the repository: npm run generate */
async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'sealwright-mistakes-'));
  const service = await startService({ SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store') });
  try {
    writeFileSync(
      join(process.cwd(), 'docs/mistakes.md'),
      mistakesPage(await answersOf(service, await openPortal(service))),
    );
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

void main();
