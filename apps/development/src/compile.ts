import { type Options, transformFile } from '@swc/core';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { builtOf, changedSources, root } from './sources';

/** As tsconfig.build.json has it, without the types: those are checked by `npm run check:types`. */
async function compilerOptions(): Promise<Options> {
  const libraries = await readdir(join(root, 'libs'));
  const entry = (name: string): string => (existsSync(join(root, `libs/${name}/src/index.ts`)) ? 'index' : 'api');
  return {
    configFile: false,
    swcrc: false,
    sourceMaps: true,
    // Packages that are ES modules only are imported by `import()`.
    module: { type: 'commonjs', ignoreDynamic: true },
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
      baseUrl: root,
      // Each by itself: of the alternatives in tsconfig.json swc takes the first, whether it exists or not.
      paths: {
        ...Object.fromEntries(libraries.map((name) => [`@app/${name}`, [`./libs/${name}/src/${entry(name)}`]])),
        '@app/*': ['./libs/*'],
      },
    },
  };
}

/** Compiles what has changed into the last build. */
async function compile(): Promise<void> {
  const options = await compilerOptions();
  // The next build compiles everything: it would not notice otherwise that these files are not its own.
  await rm(join(root, 'dist/tsconfig.build.tsbuildinfo'), { force: true });
  for (const path of await changedSources()) {
    const target = join(root, builtOf(path));
    await mkdir(dirname(target), { recursive: true });
    if (!path.endsWith('.ts')) {
      await copyFile(join(root, path), target);
      continue;
    }
    const { code, map = '{}' } = await transformFile(join(root, path), options);
    await writeFile(`${target}.map`, map);
    await writeFile(target, code);
  }
}

// A process of its own, because the compiler keeps 60 MB until its process ends.
compile().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
