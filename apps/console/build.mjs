// Bundles the console for browsers into dist/apps/console: run by `npm run build`.
import { build } from 'esbuild';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'dist/apps/console');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { console: 'apps/console/src/main.tsx', style: 'apps/console/src/style.css' },
  outdir: target,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  tsconfig: 'apps/console/tsconfig.json',
  metafile: true,
  logLevel: 'warning',
});
for (const name of ['index.html', 'icon.svg'])
  await copyFile(join(import.meta.dirname, 'src', name), join(target, name));

// What the page says, one file for each language: a browser loads the one that it shows.
const texts = join(import.meta.dirname, 'src/texts');
for (const language of await readdir(texts)) {
  const areas = (await readdir(join(texts, language))).sort().map(async (file) => {
    return [file.replace(/\.json$/, ''), JSON.parse(await readFile(join(texts, language, file), 'utf8'))];
  });
  const all = Object.fromEntries(await Promise.all(areas));
  await writeFile(join(target, `texts-${language}.json`), JSON.stringify(all));
}

// The licences of what is bundled ask for their text in every copy.
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
const licences = [...bundled].sort().map(async (name) => {
  const folder = join(root, 'node_modules', name);
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file.`);
  return `${name}\n\n${await readFile(join(folder, file), 'utf8')}`;
});
await writeFile(join(target, 'licences.txt'), (await Promise.all(licences)).join('\n\n'));
