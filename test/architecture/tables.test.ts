import { join } from 'node:path';
import { type SourceFile, sourceFiles } from '../support/repository/source-files';

interface TableUse {
  readonly owners: readonly string[];
  /** Folders beside the owners that only read. */
  readonly readers: readonly string[];
}

const { tables } = jest.requireActual<{ tables: Readonly<Record<string, TableUse>> }>(
  join(__dirname, '../../eslint.walls.cjs'),
);

const statement =
  /\b(insert\s+into|update|delete\s+from|truncate(?:\s+table)?|lock\s+table|from|join)\s+(?:only\s+)?"?(\w+)\b/gi;

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '');
}

const folders = Object.values(tables).flatMap(({ owners, readers }) => [...owners, ...readers]);

/** The innermost folder of the list that a file is in. */
function folderOf(path: string): string | undefined {
  const around = folders.filter((folder) => path.startsWith(`${folder}/`));
  return around.sort((one, other) => other.length - one.length)[0];
}

/** What a file says to tables that its folder may not say it to, as `path: update events`, whatever its case. */
function foreignUses({ path, text }: SourceFile): string[] {
  const own = folderOf(path);
  const isOf = (folder: string): boolean => folder === own;
  return [...withoutComments(text).matchAll(statement)].flatMap(([, verb = '', name = '']) => {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (!table || table.owners.some(isOf)) return [];
    const reads = verb === 'from' || verb === 'join';
    return reads && table.readers.some(isOf) ? [] : [`${path}: ${verb} ${name}`];
  });
}

const isOfProduct = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes('/fixtures/');
const sources = sourceFiles(['libs', 'apps'], isOfProduct);

describe('a table', () => {
  it('is written by its owners only, and read by those that the list names', () => {
    expect(sources.flatMap(foreignUses)).toEqual([]);
  });

  it.each([
    ['libs/offers', 'select sealed from key_store', 'from key_store'],
    ['libs/offers', 'select 1 from offers o\n  join streams s on true', 'join streams'],
    ['libs/status', 'delete from events where true', 'delete from events'],
    ['libs/events/src/webhooks', 'update only "streams" set state = null', 'update streams'],
    ['libs/event-store/src/erasure-keys', 'insert into data_keys values ($1)', 'insert into data_keys'],
    ['libs/access', 'lock table audit', 'lock table audit'],
    ['libs/event-store', 'truncate webhook_replays', 'truncate webhook_replays'],
  ])('is guarded: in %s: %s', (folder, sql, use) => {
    const path = `${folder}/src/planted.ts`;
    expect(foreignUses({ path, text: `const text = \`${sql}\`;` })).toEqual([`${path}: ${use}`]);
  });

  it('is in the list when it exists, and has owners and readers that use it', () => {
    const made = sourceFiles(['libs'], (path) => path.endsWith('.sql') || isOfProduct(path)).flatMap(({ text }) =>
      [...text.matchAll(/\bcreate (?:unlogged )?table (?:if not exists )?(\w+)\s+\(/g)].map(([, name]) => name),
    );
    expect(Object.keys(tables).sort()).toEqual([...new Set(made)].sort());
    const uses = ([name, { owners, readers }]: [string, TableUse]): string[] =>
      [...owners, ...readers].map((folder) => `${folder} ${name}`);
    const used = sources.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(statement)].map(([, , name]) => `${folderOf(path)} ${name}`),
    );
    // A function of the database writes it.
    const idle = Object.entries(tables)
      .flatMap(uses)
      .filter((use) => !used.includes(use));
    expect(idle).toEqual(['libs/event-store clock_watch']);
  });
});
