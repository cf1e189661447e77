const usual = require('../../jest.config.js');

const mutating = require.resolve('./mutating-transform.js');

const { transform, testEnvironment, transformIgnorePatterns } = usual.projects[0];

module.exports = {
  ...usual,
  rootDir: usual.projects[0].rootDir,
  reporters: [],
  projects: usual.projects.map((project) => ({
    ...project,
    // All tests take the product as Jest compiles it, with the fault.
    testEnvironment,
    transformIgnorePatterns,
    transform: Object.fromEntries(
      Object.entries(transform).map(([pattern, [, options]]) => [pattern, [mutating, options]]),
    ),
  })),
};
