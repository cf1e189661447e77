import { settingsDocuments } from '@app/config';
import { errorsPage } from '@app/primitives/problems';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata';
import { managementDocument } from './openapi';

/** Every document that is made from the code, by path from the root of the repository. */
export function generatedDocuments(): Record<string, string> {
  return {
    ...settingsDocuments(),
    'docs/errors.md': errorsPage(),
    'docs/openapi.json': managementDocument(),
  };
}

// Run from the root of the repository: node dist/apps/server/src/generate.js
if (require.main === module) {
  for (const [path, text] of Object.entries(generatedDocuments())) writeFileSync(join(process.cwd(), path), text);
}
