import { sourceFiles } from '../support/repository/source-files';

/** Files of `npm test` that start processes, which cost seconds each. The list gets shorter; new ones are for test/processes. */
const starting = [
  'budget/flows',
  'cli/doctor',
  'cli/keys',
  'cli/store',
  'cli/usage',
  'deployment/chart',
  'deployment/chart-policies',
  'deployment/healthcheck',
  'deployment/monitoring',
  'erasure-keys/erasure-keys',
  'event-store/embedded-lock',
  'event-store/replicas',
  'flows/graceful-stop',
  'flows/npm-start',
  'flows/personal-data',
  'flows/quick-start',
  'flows/redemption-race',
  'flows/start',
  'flows/start-dev',
  'operation/hanging-database',
  'operation/logs',
  'operation/process',
  'operation/production',
  'operation/rolling-upgrade',
  'operation/traces',
  'status/allocation',
];

it('no further file of the gate starts processes', () => {
  const files = sourceFiles(['test'], (path) => path.endsWith('.test.ts'));
  const found = files.filter(({ text }) =>
    /\b(startServiceProcess|failingStart|sealwright|spawn|spawnSync|fork|execFile|execFileSync)\(|from .[./a-z]*(service-process|replica)'/.test(
      text,
    ),
  );
  expect(found.map(({ path }) => path.replace(/^test\/|\.test\.ts$/g, '')).sort()).toEqual(starting);
});
