/** Deciders are pure, by all that they reach while the program runs; imports of types alone do not count. */
const { options } = require('./.dependency-cruiser.cjs');
const { deciders } = require('./.deciders.cjs');

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
        path: `(^|/)node_modules/(?!(luxon|fastest-levenshtein|jsonc-parser|yaml)/)|^(?!util$)${coreModule()}$|^libs/(keys|event-store|outbound|config|http)/`,
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
