/** Deciders are pure, by all that they reach while the program runs; imports of types alone do not count. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { options } = require('./.dependency-cruiser.cjs');

/** Roles in the framework, which hand values to deciders. */
const roles = /\.(spec|controller|endpoint|handlers|module)\.ts$/;
/** How a file of a module says that it decides: it folds events into a state, or returns new ones. */
const decides = /\bAggregate<|\b[A-Z]\w*Event\[\]/;

/** The deciders of all modules: files that decide and are not injected. */
const deciders = readdirSync(join(__dirname, 'libs'))
  .map((name) => `libs/${name}/src`)
  .filter((folder) => existsSync(join(__dirname, folder, 'api.ts')))
  .flatMap((folder) =>
    readdirSync(join(__dirname, folder), { recursive: true })
      .filter((path) => path.endsWith('.ts') && !roles.test(path))
      .map((path) => `${folder}/${path}`),
  )
  .filter((path) => {
    const text = readFileSync(join(__dirname, path), 'utf8');
    return decides.test(text) && !text.includes('@Injectable(');
  });

const { tsPreCompilationDeps, parser, ...resolving } = options;

module.exports = {
  forbidden: [
    {
      name: 'deciders-are-pure',
      comment: 'Time, randomness, hashes and what is stored come in as values.',
      severity: 'error',
      from: { path: `^(${deciders.join('|').replaceAll('.', '\\.')})$` },
      to: {
        reachable: true,
        // `util` compares values; fastest-levenshtein, jsonc-parser and yaml read texts. luxon reckons with the dates it is given.
        path: `(^|/)node_modules/(?!(luxon|fastest-levenshtein|jsonc-parser|yaml)/)|^(?!util$)${coreModule()}$|^libs/(keys|event-store|outbound|config|web)/`,
      },
    },
  ],
  options: resolving,
};

function coreModule() {
  return `(${require('node:module')
    .builtinModules.filter((name) => !name.startsWith('_'))
    .join('|')})`;
}

// `depcruise --config … $(node …)`: the files to begin with.
if (require.main === module) process.stdout.write(deciders.join(' '));
