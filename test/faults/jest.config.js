/** Faults that last for minutes, on real processes: `npm run test:faults`. Each has a short form in the ordinary suite. */
const { projects } = require('../../jest.config.js');

const product = projects.find(({ displayName }) => displayName === 'product');

module.exports = { ...product, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.fault.ts'] };
