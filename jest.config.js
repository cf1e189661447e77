const { availableParallelism } = require('node:os');
const { dependencies } = require('./package.json');

/** Two projects: `unit` (no I/O, beside the code) and `product` (database, HTTP, processes; in test/). */
const transform = {
  '^.+\\.(t|j|mj|cj)s$': [
    '@swc/jest',
    {
      module: { type: 'commonjs' },
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
        keepClassNames: true,
      },
    },
  ],
};

// These packages are published as ES modules only; Jest runs CommonJS, so they are transformed.
const esmOnly = [
  'jose',
  'openid-client',
  'oauth4webapi',
  '@openid4vc',
  'dcql',
  'valibot',
  '@sd-jwt',
  '@owf',
  'zod',
  'fast-check',
  'pure-rand',
  '@promptctl',
  '@noble',
  '@credo-ts',
  '@stablelib',
  '@digitalbazaar',
  '@digitalcredentials',
  '@scure',
  'uuid',
  'base64url-universal',
];

const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform,
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})(/|$))`],
  moduleNameMapper: {
    // Threads run what Node can load by itself.
    '^\\./check-thread-program$': '<rootDir>/test/support/jest/check-thread-program.js',
    // It names its file to importers only.
    '^@promptctl/go-template-js$': '<rootDir>/node_modules/@promptctl/go-template-js/dist/index.js',
    '^@app/primitives/(jose|json|problems|time)$': '<rootDir>/libs/primitives/src/$1/index',
    '^@app/([^/]+)$': ['<rootDir>/libs/$1/src/index', '<rootDir>/libs/$1/src/api'],
    '^@app/([^/]+)/(src|fixtures)/(.+)$': '<rootDir>/libs/$1/$2/$3',
  },
};

// Jest's global setup loads `pg` too, where there is no environment.
const ofProduct = Object.keys(dependencies).filter((name) => name !== 'pg');
const productModules = `^${__dirname}/((apps|examples|libs)/.+\\.ts|node_modules/(${ofProduct.join('|')})/.+\\.[cm]?js)$`;

module.exports = {
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,examples,libs}/**/*.spec.ts'] },
    {
      ...base,
      displayName: 'product',
      testEnvironment: '<rootDir>/test/support/jest/product-environment.js',
      transform: { [productModules]: '<rootDir>/test/support/jest/product-modules.js', ...transform },
      transformIgnorePatterns: [`/node_modules/(?!(${[...esmOnly, ...ofProduct].join('|')})(/|$))`],
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
  // A worker that files leave something behind in starts anew before it takes the memory of the others.
  workerIdleMemoryLimit: '900MB',
};
