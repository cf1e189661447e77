const usual = require('../../jest.config.js');
const { esmOnly } = require('../support/jest/esm-only.js');

const mutating = require.resolve('./mutating-transform.js');

const { transform } = usual.projects[0];

module.exports = {
  ...usual,
  rootDir: usual.projects[0].rootDir,
  reporters: [],
  projects: usual.projects.map((project) => ({
    ...project,
    // All tests take the product as Jest compiles it, with the fault.
    testEnvironment: 'node',
    transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})(/|$))`],
    transform: Object.fromEntries(
      Object.entries(transform).map(([pattern, [, options]]) => [pattern, [mutating, options]]),
    ),
  })),
};
