import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from './load-settings';
import { settingsDocuments } from './settings-documents';

const root = join(__dirname, '../../..');

describe('the documents made from the settings', () => {
  it.each(Object.entries(settingsDocuments()))('%s is up to date', (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  });

  it('include an example that production accepts', () => {
    const settings = loadSettings({
      SERVICE__CONFIG_FILE: join(root, 'config/example.yaml'),
      SERVICE__EVENT_STORE__CONNECTION_STRING: 'postgresql://db/sealwright',
      SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'only-for-this-test',
    });
    expect(settings.profile).toBe('production');
  });
});
