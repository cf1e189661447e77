import { appendFile, cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const checkout = join(__dirname, '../../..');

interface Change {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

/** What makes a release of everything that names the version of its shape: each version is the next one. */
const changes: readonly Change[] = [
  { file: 'event-store/src/streams/named-version.js', from: /: 1,/g, to: ': 2,' },
  { file: 'keys/src/root/envelope.js', from: /const VERSIONS = \[1\]/, to: 'const VERSIONS = [1, 3]' },
  { file: 'event-store/src/lists/cursor.js', from: /const cursorVersion = 1/, to: 'const cursorVersion = 2' },
];

const aggregates: Readonly<Record<string, string>> = {
  'authorization/src/authorization.js': 'authorizationAggregate',
  'issuance/src/credential/credential.js': 'credentialAggregate',
  'offers/src/offer/offer.js': 'offerAggregate',
  'status/src/status-list.js': 'statusListAggregate',
  'templates/src/template/template.js': 'templateAggregate',
  'verification/src/request/authorization-request.js': 'authorizationRequestAggregate',
  'events/src/webhooks/webhook.js': 'webhookAggregate',
};

/**
 * A build like that of this checkout, as a release would make it that had changed every shape: it reads what this one makes,
 * and this one does not know what it makes.
 * @returns its folder, to be removed
 */
export async function buildNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sealwright-next-'));
  await cp(join(checkout, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(checkout, 'package.json'), join(folder, 'package.json'));
  await cp(join(checkout, 'config'), join(folder, 'config'), { recursive: true });
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of changes) {
    const path = join(folder, 'dist/libs', file);
    const text = await readFile(path, 'utf8');
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`There is no ${String(from)} in ${file}: is "npm run build" due?`);
    await writeFile(path, changed);
  }
  for (const [file, name] of Object.entries(aggregates)) {
    await appendFile(
      join(folder, 'dist/libs', file),
      `\nObject.assign(exports.${name}, { eventVersion: 2, foldVersion: (exports.${name}.foldVersion ?? 1) + 1 });\n`,
    );
  }
  return folder;
}
