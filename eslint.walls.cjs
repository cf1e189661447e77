/**
 * Walls that a file shows by its own text (docs/architecture/overview.md); those of its imports are in
 * .dependency-cruiser.cjs. test/architecture/walls.test.ts plants breaches of both. No rule here needs types.
 */
const { deciders } = require('./.deciders.cjs');

/**
 * Who may name a table in SQL: the folders that own it, and those that only read it. They are the only ones that get the driver
 * of the database. test/architecture/tables.test.ts compares the list with the migrations and with all SQL.
 */
const tables = {
  events: { owners: ['libs/event-store'], readers: ['libs/status', 'libs/event-store/src/erasure-keys', 'apps/cli'] },
  streams: {
    owners: ['libs/event-store'],
    readers: ['libs/status', 'libs/events/src/webhooks', 'libs/tenants', 'apps/cli'],
  },
  subscriptions: { owners: ['libs/event-store'], readers: ['libs/status'] },
  consumed: { owners: ['libs/event-store'], readers: [] },
  // Made with the stream that it opens; wrapped anew when the root key changes.
  data_keys: { owners: ['libs/event-store', 'libs/keys'], readers: ['libs/event-store/src/erasure-keys'] },
  folds: { owners: ['libs/event-store'], readers: [] },
  checkpoints: { owners: ['libs/event-store'], readers: [] },
  clock_watch: { owners: ['libs/event-store'], readers: [] },
  store_identity: { owners: ['libs/event-store'], readers: [] },
  tenant_arrivals: { owners: ['libs/event-store'], readers: [] },
  moving_tenants: { owners: ['libs/event-store'], readers: [] },
  schema_migrations: { owners: ['libs/event-store'], readers: [] },
  audit: { owners: ['libs/event-store'], readers: ['libs/access', 'libs/sessions'] },
  key_store: { owners: ['libs/keys'], readers: [] },
  console_sessions: { owners: ['libs/sessions'], readers: [] },
  api_keys: { owners: ['libs/access'], readers: [] },
  rate_limits: { owners: ['libs/http/src/limits'], readers: [] },
  status_list_versions: { owners: ['libs/status'], readers: [] },
  status_changes: { owners: ['libs/status'], readers: [] },
  trust_lists: { owners: ['libs/identity/src/trust'], readers: [] },
  webhook_receivers: { owners: ['libs/events/src/webhooks'], readers: ['libs/tenants'] },
  webhook_deliveries: { owners: ['libs/events/src/webhooks'], readers: [] },
  webhook_replays: { owners: ['libs/events/src/webhooks'], readers: [] },
  imports: { owners: ['libs/imports'], readers: [] },
  import_files: { owners: ['libs/imports'], readers: [] },
  import_rows: { owners: ['libs/imports'], readers: [] },
  images: { owners: ['libs/templates/src/images'], readers: [] },
  offer_deliveries: { owners: ['libs/mail'], readers: [] },
  erasure_key_database: { owners: ['libs/event-store/src/erasure-keys'], readers: [] },
  erasure_keys: { owners: ['libs/event-store/src/erasure-keys'], readers: [] },
  erasures: { owners: ['libs/event-store/src/erasure-keys'], readers: [] },
  followed_store: { owners: ['libs/event-store/src/erasure-keys'], readers: [] },
};

/** They hand the driver on to functions of libs/event-store and have no table. */
const driverBearers = [
  'libs/operation/src/**/{checkpoints,durability-warning,rights-warning}.ts',
  'apps/server/src/instrumentation.ts',
  'apps/cli/src/{database,store-thread.worker}.ts',
];

// An app reads through the libraries; where it asks for a driver itself is in the list above.
const withTables = Object.values(tables)
  .flatMap(({ owners, readers }) => [...owners, ...readers])
  .filter((folder) => folder.startsWith('libs/'));
const service = ['libs/**/*.ts', 'apps/{server,cli,development}/**/*.ts'];
const tests = ['**/*.spec.ts', '**/fixtures/**'];

const each = (names, message) => names.map((name) => ({ name, message }));
const members = (object, properties, message) => properties.map((property) => ({ object, property, message }));
const fromOutside = 'Time and chance come in as values.';

const network = each(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'], 'libs/outbound calls other servers.');
const detours = each(['globalThis', 'global'], 'No way round the walls.');
const keyring = each(['crypto'], 'Import what is needed from node:crypto; private keys stay in libs/keys.');
const impure = each(
  ['performance', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
  fromOutside,
);

const environment = [
  ...members('process', ['env'], 'Settings are read in libs/config only.'),
  ...members(
    'URL',
    ['canParse'],
    'Once compiled, that of Node.js 20 refuses letters such as ü: urlOf of @app/primitives/url.',
  ),
];
const clocks = [
  ...members('Date', ['now'], fromOutside),
  ...members('Math', ['random'], fromOutside),
  ...members('DateTime', ['now', 'local', 'utc'], fromOutside),
];

const defaultExport = { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' };
const lateCrypto = {
  selector: 'ImportExpression[source.value=/^(node:)?crypto$/]',
  message: 'Import what is needed from node:crypto by name.',
};
const changedEvents = ['Literal[value', 'TemplateElement[value.raw'].map((text) => ({
  selector: `${text}=/\\b(update|delete\\s+from|truncate(\\s+table)?)\\s+(only\\s+)?"?events\\b/i]`,
  message: 'Events are appended, never changed.',
}));
const heldUnits = ["property.name='sign'", 'name=/^sign(Jwt|Cose)$/'].map((call) => ({
  selector: `CallExpression[callee.property.name=/^(transact|reading|update)$/] > :function CallExpression[callee.${call}]`,
  message: 'Sign after the unit of work: a signer may take seconds, and the unit holds a connection.',
}));
const now = ['NewExpression[arguments.length=0]', 'CallExpression'].map((call) => ({
  selector: `${call}[callee.name='Date']`,
  message: fromOutside,
}));

const privateKeys = ['node:crypto', 'crypto'].map((name) => ({
  name,
  importNames: [
    'default',
    'sign',
    'createSign',
    'createPrivateKey',
    'generateKeyPair',
    'generateKeyPairSync',
    'createECDH',
    'createDiffieHellman',
    'getDiffieHellman',
    'diffieHellman',
    'privateDecrypt',
    'privateEncrypt',
    'webcrypto',
    'subtle',
  ],
  message: 'Private keys stay in libs/keys.',
  allowTypeImports: true,
}));
const driver = {
  name: '@app/event-store',
  importNames: ['SQL_DRIVER', 'openDriver', 'connectDriver'],
  message: 'Tables have owners: `tables` in eslint.walls.cjs.',
};

const walls = [
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      'no-restricted-properties': ['error', ...environment],
      'no-restricted-syntax': ['error', defaultExport],
    },
  },
  {
    files: ['libs/config/**', 'test/**', 'examples/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: service,
    ignores: tests,
    rules: {
      'no-console': 'error',
      'no-restricted-globals': ['error', ...network, ...detours, ...keyring],
      'no-restricted-imports': ['error', ...privateKeys, driver],
      'no-restricted-syntax': ['error', defaultExport, lateCrypto, ...changedEvents, ...heldUnits],
    },
  },
  {
    // The check of the container calls its own service, and loads nothing.
    files: ['libs/outbound/**', 'apps/server/src/healthcheck.ts'],
    rules: { 'no-restricted-globals': ['error', ...detours, ...keyring] },
  },
  {
    files: [...new Set(withTables)].map((folder) => `${folder}/**`).concat(driverBearers),
    ignores: tests,
    rules: { 'no-restricted-imports': ['error', ...privateKeys] },
  },
  {
    files: ['libs/keys/**'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    // A logical backup carries transaction ids of another server, which the history is rid of before anything is appended.
    files: ['libs/event-store/src/**/restored-server.ts'],
    rules: { 'no-restricted-syntax': ['error', defaultExport, lateCrypto] },
  },
  {
    files: deciders,
    rules: {
      'no-restricted-globals': ['error', ...network, ...detours, ...keyring, ...impure],
      'no-restricted-properties': ['error', ...environment, ...clocks],
      'no-restricted-syntax': ['error', defaultExport, lateCrypto, ...changedEvents, ...heldUnits, ...now],
    },
  },
];

module.exports = { tables, walls };
