import { existsSync, type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { copied, execForm, type Instruction, readDockerfile, root, type Stage } from './dockerfile';

const { before, stages } = readDockerfile();
const image = stages.at(-1) as Stage;
const all = stages.flatMap(({ instructions }) => instructions);
const named = (name: string, from: readonly Instruction[] = all): string[] =>
  from.filter((one) => one.name === name).map(({ text }) => text);
const fromContext = named('COPY').flatMap((text) => (copied(text).from === undefined ? copied(text).paths : []));

/** `dist/apps/server/src/main.js` is made of `apps/server/src/main.ts`. */
const sourceOf = (program: string): string =>
  join(root, program.replace(/^(\/app\/)?dist\//, '').replace(/\.js$/, '.ts'));

describe('the Dockerfile', () => {
  it('names one version of Node.js for every stage, which a build can pin by digest', () => {
    expect(named('ARG', before)).toEqual([expect.stringMatching(/^NODE_IMAGE=node:24-[a-z]+-slim$/)]);
    expect(new Set(stages.map((stage) => stage.image))).toEqual(new Set(['${NODE_IMAGE}']));
  });

  it('copies only what exists', () => {
    expect(fromContext.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('gets from the build context what it copies, and nothing else', () => {
    const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(allowed.sort()).toEqual([...new Set(fromContext)].sort());
  });

  it('copies from its own stages only', () => {
    const names = stages.map(({ name }) => name);
    const sources = named('COPY').flatMap((text) => copied(text).from ?? []);
    expect(sources.filter((source) => !names.includes(source))).toEqual([]);
    expect(named('ADD')).toEqual([]);
  });

  it('runs no install script and leaves development packages out of the image', () => {
    const installs = named('RUN').filter((text) => text.includes('npm ci'));
    expect(installs.filter((text) => !text.includes('--ignore-scripts'))).toEqual([]);
    const [modules] = named('COPY', image.instructions).filter((text) => text.includes('node_modules'));
    const source = stages.find(({ name }) => name === copied(modules ?? '').from);
    expect(named('RUN', source?.instructions)).toEqual(['npm ci --ignore-scripts --omit=dev']);
    expect(named('RUN', image.instructions).join('\n')).not.toContain('npm');
  });

  it('has the native part of pkcs11js where that looks for it, and no compiler', () => {
    const [copy = ''] = named('COPY', image.instructions).filter((text) => copied(text).from === 'pkcs11');
    const file = 'pkcs11js/build/Release/pkcs11.node';
    expect(copy).toBe(`--from=pkcs11 /app/${file} node_modules/${file}`);
    expect(named('RUN', image.instructions).join('\n')).not.toContain('apt-get');
    const index = readFileSync(join(root, 'node_modules/pkcs11js/index.js'), 'utf8');
    expect(index).toContain('build/Release/pkcs11.node');
  });

  it('runs as a numeric user that is not root', () => {
    const user = /^(\d+):(\d+)$/.exec(named('USER', image.instructions).at(-1) ?? '');
    expect(Number(user?.[1])).toBeGreaterThanOrEqual(10_000);
    expect(Number(user?.[2])).toBeGreaterThanOrEqual(10_000);
    const positions = image.instructions.map(({ name }) => name);
    expect(positions.lastIndexOf('USER')).toBeGreaterThan(positions.lastIndexOf('COPY'));
  });

  it('starts and checks programs that exist, without a shell', () => {
    // Without one of its own the image has that of its base: a shell script.
    expect(named('ENTRYPOINT', image.instructions).map(execForm)).toEqual([[]]);
    const check = named('HEALTHCHECK', image.instructions)[0]?.split(' CMD ')[1] ?? '';
    const commands = [named('CMD', image.instructions)[0] ?? '', check].map(execForm);
    expect(commands).toEqual([
      ['node', '--disable-proto=delete', 'dist/apps/server/src/main.js'],
      ['node', 'dist/apps/server/src/healthcheck.js'],
    ]);
    for (const command of commands) expect(existsSync(sourceOf(command?.at(-1) ?? ''))).toBe(true);
  });

  it('has the command line on the PATH', () => {
    const [, program = ''] =
      /^ln -s (\S+) \/usr\/local\/bin\/sealwright$/.exec(named('RUN', image.instructions)[0] ?? '') ?? [];
    expect(readFileSync(sourceOf(program), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(named('RUN').join('\n')).toContain(`chmod 755 ${program.replace('/app/', '')}`);
  });

  it('holds no secret', () => {
    const settings = [...named('ENV'), ...named('ARG'), ...named('LABEL')].join('\n');
    expect(settings).not.toMatch(/PASSWORD|SECRET|TOKEN|KEY|CONNECTION/i);
  });
});

describe('the code in the image', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const files = fromContext
    // The console runs in browsers, and what it imports is bundled with it.
    .filter((path) => /^(apps|libs)\b/.test(path) && path !== 'apps/console')
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));

  it('imports production packages only', () => {
    const imports = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\(|require\(|import) '([^'.][^']*)'/g)]
        // A type import leaves nothing in the output.
        .filter(({ index, input }) => !/^import type /.test(input.slice(input.lastIndexOf('\n', index) + 1)))
        .map(([, name = '']) => ({ file, name: /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '' })),
    );
    expect(imports.length).toBeGreaterThan(500);
    // Where it is missing, the embedded store says what to do; production rejects that store anyway.
    const missed = ['@electric-sql/pglite'];
    const provided = new Set([...Object.keys(dependencies), ...builtinModules, ...missed]);
    const strangers = imports.filter(({ name }) => !/^(node:|@app\/)/.test(name) && !provided.has(name));
    expect(strangers).toEqual([]);
  });
});

/** What a folder takes on a disk with blocks of 4 KiB, in MB; packages within it are not counted. */
function sizeOnDisk(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry: Dirent) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOnDisk(join(folder, entry.name));
    return entry.isFile() ? (Math.ceil(statSync(join(folder, entry.name)).size / 4096) * 4096) / 1024 ** 2 : 0;
  });
  return sizes.reduce((sum, one) => sum + one, 4096 / 1024 ** 2);
}

describe('an installation for production', () => {
  // 129 MB, of which 5 are lodash, which comes with @nestjs/config, and 9 read spreadsheets and send mail.
  it('takes less than 130 MB', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly dev?: true; readonly devOptional?: true }>>;
    };
    const folders = Object.entries(lock.packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional && existsSync(join(root, path)))
      .map(([path]) => path);
    expect(folders.length).toBeGreaterThan(200);
    const sizes = folders.map((path) => ({ path, size: sizeOnDisk(join(root, path)) }));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(130);
  });
});
