/** Starts and ends of the service in more ways than `npm test` tries: `npm run test:processes`. One case of each is in the ordinary suite. */
const { projects, reporters } = require('../../jest.config.js');

const product = projects.find(({ displayName }) => displayName === 'product');

module.exports = {
  rootDir: product.rootDir,
  projects: [{ ...product, displayName: 'processes', testMatch: ['<rootDir>/test/processes/**/*.process.ts'] }],
  reporters,
  testTimeout: 180_000,
};
