/** The deciders of all modules: files that fold or return events and are not injected. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** Roles in the framework, which hand values to deciders. */
const roles = /\.(spec|controller|endpoint|handlers|module)\.ts$/;
/** How a file of a module says that it decides: it folds events into a state, or returns new ones. */
const decides = /\bAggregate<|\b[A-Z]\w*Event\[\]/;

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

module.exports = { deciders };
