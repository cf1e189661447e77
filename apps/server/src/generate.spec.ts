import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedDocuments } from './generate';

describe('the documents made from the code', () => {
  // Stale? `npm run generate` writes them anew.
  it.each(Object.entries(generatedDocuments()))('%s is up to date', (path, text) => {
    expect(readFileSync(join(__dirname, '../../..', path), 'utf8')).toBe(text);
  });
});
