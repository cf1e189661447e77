/** The walls of the house (docs/architecture/overview.md); test/architecture plants a breach of each rule. */
const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

/**
 * From the lowest floor up; a library imports libraries of lower floors only. What is not listed is ground and imports no
 * other library.
 */
const floors = [
  ['config'],
  ['event-store', 'observability', 'openid4vc'],
  ['credentials', 'http', 'keys'],
  ['access', 'identity', 'pages'],
  ['approvals', 'registration'],
  ['operation', 'status', 'templates', 'tenants'],
  ['offers', 'verification'],
  ['authorization', 'mail'],
  ['issuance', 'sessions'],
  ['events', 'imports'],
];

const libraries = readdirSync(join(__dirname, 'libs'));
/** Business modules meet through their `api.ts`; every other library is platform. */
const modules = libraries.filter((name) => existsSync(join(__dirname, 'libs', name, 'src/api.ts')));
const floorOf = (name) => floors.findIndex((floor) => floor.includes(name));
const notBelow = (name) => libraries.filter((other) => other !== name && floorOf(other) >= floorOf(name));

const oneOf = (names) => `(${names.join('|')})`;
const forTests = '(\\.spec\\.ts$|/fixtures/)';
const atRunTime = { dependencyTypesNot: ['type-only'] };

/** Libraries that serve or call others over sockets, or start processes. */
const onSockets = ['event-store', 'http', 'observability', 'outbound'];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'libraries-do-not-know-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    ...libraries.map((name) => ({
      name: 'imports-go-down',
      comment: 'A library imports lower floors only (`floors` in .dependency-cruiser.cjs); a new one is ground.',
      severity: 'error',
      from: { path: `^libs/${name}/` },
      to: { path: `^libs/${oneOf(notBelow(name))}/` },
    })),
    {
      name: 'platform-knows-no-module',
      severity: 'error',
      from: { path: '^libs/', pathNot: `^libs/${oneOf(modules)}/` },
      to: { path: `^libs/${oneOf(modules)}/` },
    },
    {
      name: 'libraries-are-entered-by-their-door',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: {
        path: '^libs/(?!$1/)',
        pathNot: ['^libs/[^/]+/(src/(index|api)\\.ts$|fixtures/)', '^libs/primitives/src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'apps-only-compose',
      comment:
        'An app imports the door of a library, the Nest module of a business module, or the door of another app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: {
        path: '^(libs|apps/(?!$1/))',
        pathNot: [
          '^(libs|apps)/[^/]+/src/(index|api)\\.ts$',
          '^libs/primitives/src/[^/]+/index\\.ts$',
          `^libs/${oneOf(modules)}/src/[^/]+\\.module\\.ts$`,
          `^libs/${oneOf(modules)}/src/[^/]+/[^/]+\\.module\\.ts$`,
        ],
      },
    },
    {
      name: 'fixtures-are-for-tests',
      severity: 'error',
      from: { pathNot: forTests },
      to: { path: '/fixtures/' },
    },
    {
      name: 'root-key-stays-in-keys',
      comment: 'Not even the door of libs/keys hands it out.',
      severity: 'error',
      from: { pathNot: '^libs/keys/(src/(?!index\\.ts$)|fixtures/)' },
      to: { path: '^libs/keys/src/root/root-' },
    },
    {
      name: 'jose-stays-in-its-libraries',
      comment: 'libs/primitives, and libs/access for access tokens of others.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `^libs/(primitives/src/jose|access)/|${forTests}` },
      to: { path: '(^|/)node_modules/jose/' },
    },
    {
      name: 'sockets-have-few-doors',
      comment: 'Other servers are called through libs/outbound; types of requests are free.',
      severity: 'error',
      from: { path: '^(libs|apps/server)/', pathNot: `^libs/${oneOf(onSockets)}/|${forTests}` },
      to: {
        path: '^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises|child_process|cluster)$|(^|/)node_modules/undici/',
        ...atRunTime,
      },
    },
    {
      name: 'one-driver',
      comment: 'A database is reached through libs/event-store.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `^libs/event-store/|${forTests}` },
      to: { path: '(^|/)node_modules/(pg|pg-[^/]+|@electric-sql)/', ...atRunTime },
    },
    {
      name: 'environment-is-read-in-config',
      comment: 'The global `process` has all but its `env`, which the linter keeps to libs/config.',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { path: '^(node:)?process$' },
    },
    {
      name: 'openid4vc-is-pure',
      severity: 'error',
      from: { path: '^libs/openid4vc/', pathNot: '\\.spec\\.ts$' },
      to: { path: '@nestjs|^(node:)?(fs|http|https|net|child_process|crypto)$|(^|/)node_modules/(pg|undici)' },
    },
    {
      name: 'clients-share-no-server-code',
      comment: 'The console, and the examples: who copies one needs nothing else of this repository.',
      severity: 'error',
      from: { path: '^(apps/console|examples)/' },
      to: { path: '^(libs|apps/(?!console/))' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['require', 'import', 'node', 'types', 'default'],
    },
  },
};
