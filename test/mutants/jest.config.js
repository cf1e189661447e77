const usual = require('../../jest.config.js');

const mutating = require.resolve('./mutating-transform.js');

module.exports = {
  ...usual,
  rootDir: usual.projects[0].rootDir,
  reporters: [],
  projects: usual.projects.map((project) => ({
    ...project,
    transform: Object.fromEntries(
      Object.entries(project.transform).map(([pattern, [, options]]) => [pattern, [mutating, options]]),
    ),
  })),
};
