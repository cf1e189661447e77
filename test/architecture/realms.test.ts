import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface Environment {
  readonly global: object;
  setup(): Promise<void>;
  teardown(): Promise<void>;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** As Node itself loads it. */
const load = (globalThis as unknown as { requireOfProduct: (file: string) => unknown }).requireOfProduct;
const ProductEnvironment = load(join(__dirname, '../support/jest/product-environment.js')) as new (
  configs: object,
  context: object,
) => Environment;

/** The realm of a test file that wraps functions of the process, as graceful-fs does. */
async function realmOfFile(): Promise<WeakRef<object>> {
  const projectConfig = { testEnvironmentOptions: {}, globals: {}, fakeTimers: {}, rootDir: __dirname };
  const environment = new ProductEnvironment({ globalConfig: {}, projectConfig }, { testPath: __filename });
  await environment.setup();
  const { global } = environment;
  const wrapped = { cwd: process.cwd, chdir: process.chdir };
  process.cwd = Object.assign(() => wrapped.cwd(), { realm: global });
  process.chdir = Object.assign(
    (directory: string) => {
      wrapped.chdir(directory);
    },
    { realm: global },
  );
  await environment.teardown();
  return new WeakRef(global);
}

describe('the realm of a test file', () => {
  it('is gone after it, so that workers do not grow with each file', async () => {
    const realm = await realmOfFile();
    // What another file of this worker has left running may hold it for a moment.
    for (let round = 0; round < 50 && realm.deref() !== undefined; round++) {
      await new Promise(setImmediate);
      collectGarbage();
    }
    expect(realm.deref()).toBeUndefined();
  });
});
