const { availableParallelism } = require('node:os');
const { dependencies } = require('./package.json');
const { esmOnly } = require('./test/support/jest/esm-only.js');

/** Two projects: `unit` (no I/O, beside the code) and `product` (database, HTTP, processes; in test/). */
const compilation = {
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};

// Jest's global setup loads `pg` too, where there is no environment.
const ofProduct = Object.keys(dependencies).filter((name) => name !== 'pg');
// What keeps nothing of a test, and takes every file a tenth of a second.
const asProduct = [...ofProduct, 'supertest', 'oidc-provider'];
const sources = '(apps|examples|libs)/(?!.*/fixtures/).+(?<!\\.spec)\\.ts';
const productModules = `^${__dirname}/(${sources}|node_modules/(${asProduct.join('|')})/.+\\.[cm]?js)$`;

const base = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/jest/product-environment.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/restore-mocks.js'],
  transform: {
    [productModules]: ['<rootDir>/test/support/jest/product-modules.js', compilation],
    '^.+\\.(t|j|mj|cj)s$': ['@swc/jest', compilation],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${[...esmOnly, ...asProduct].join('|')})(/|$))`],
  moduleNameMapper: {
    // Threads run what Node can load by itself.
    '^\\./(check|reading)-thread-program$': '<rootDir>/test/support/jest/$1-thread-program.js',
    // It names its file to importers only.
    '^@promptctl/go-template-js$': '<rootDir>/node_modules/@promptctl/go-template-js/dist/index.js',
    '^@app/primitives/(awaitable|cbor|context|jose|json|problems|time|url)$': '<rootDir>/libs/primitives/src/$1/index',
    '^@app/([^/]+)$': ['<rootDir>/libs/$1/src/index', '<rootDir>/libs/$1/src/api'],
    '^@app/([^/]+)/(src|fixtures)/(.+)$': '<rootDir>/libs/$1/$2/$3',
  },
};

module.exports = {
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,examples,libs}/**/*.spec.ts'] },
    {
      ...base,
      displayName: 'product',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/jest/postgres.setup.js',
      globalTeardown: '<rootDir>/test/support/jest/postgres.teardown.js',
    },
  ],
  reporters: ['default', 'summary', '<rootDir>/test/support/jest/count-reporter.js'],
  // Not a statement about speed: what hangs ends some time, also on a busy machine.
  testTimeout: 180_000,
  // Files of the product wait for processes, timers and the database a quarter of their time: three share two cores.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // A worker that files leave something behind in starts anew; product-environment.js fails where one has taken more than 1.25 GiB.
  workerIdleMemoryLimit: '350MB',
};
