/** What takes minutes, faults on real processes above all: `npm run test:faults`. Each has a short form in the ordinary suite. */
const { projects } = require('../../jest.config.js');

const product = projects.find(({ displayName }) => displayName === 'product');

// More requests made from the OpenAPI document than in the ordinary suite, and others each time.
process.env.FUZZ_REQUESTS ??= '10000';
process.env.FUZZ_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
const testMatch = ['<rootDir>/test/faults/**/*.fault.ts', '<rootDir>/test/refusals/openapi-fuzz.test.ts'];

module.exports = { ...product, displayName: 'faults', testMatch };
