import { AsyncLocalStorage } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { checkSchema, endCheckThreads } from './claims-check';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

afterAll(endCheckThreads);

describe('what is kept of a schema that was checked', () => {
  it('does not keep the request that asked first', async () => {
    const request = new AsyncLocalStorage<object>();
    const ask = async (): Promise<WeakRef<object>> => {
      const state = { secret: 'of the person' };
      const sound = await request.run(state, () => checkSchema({ type: 'object', title: 'asked once' }));
      expect(sound.kind).toBe('checked');
      return new WeakRef(state);
    };
    const asked = await ask();
    await new Promise(setImmediate);
    collectGarbage();
    expect(asked.deref()).toBeUndefined();
  });
});
