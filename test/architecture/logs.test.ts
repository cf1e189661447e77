import { logFields } from '@app/observability/src/logs/log-fields';
import { sourceFiles } from '../support/repository/source-files';

/** The names of the members in each object that is given to a logger as it stands. */
function loggedNames(text: string): string[] {
  const objects = [...text.matchAll(/\blogger\s*\.(?:log|warn|error|debug|verbose|fatal)\(\s*\{([^;]*?)\}\s*[,)]/gis)];
  return objects.flatMap(([, members = '']) =>
    [...members.matchAll(/(?<![.\w'"`:] ?)\b(\w+)(?=\s*[:,}]|\s*$)/g)].map(([, name = '']) => name),
  );
}

const sources = sourceFiles(['apps', 'libs'], (path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));

// The log drops unknown fields (libs/observability/src/logs/log-fields.ts): this test finds them before a reader of the log misses them.
describe('what the code logs', () => {
  it('is a known field of the log', () => {
    const unknown = sources.flatMap(({ path, text }) =>
      loggedNames(text)
        .filter((name) => name !== 'err' && !logFields.has(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('is seen by this test', () => {
    expect(loggedNames(`this.logger.warn({ event: 'x.y', reason, claims: a.b, ...(c && { token }) });`)).toEqual(
      expect.arrayContaining(['event', 'reason', 'claims', 'token']),
    );
    expect(new Set(sources.flatMap(({ text }) => loggedNames(text))).size).toBeGreaterThan(8);
  });
});
