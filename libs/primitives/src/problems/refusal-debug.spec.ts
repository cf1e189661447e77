import { Problem } from './problem';
import { concerning, debugOf } from './refusal-debug';

function checkNothing(): never {
  throw new Problem('conflict', 'It is taken.');
}

function caught(work: () => unknown): Promise<unknown> {
  return Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe('the debug information of a refusal', () => {
  it('names the check that decided, by function and file', async () => {
    const { check } = debugOf(await caught(checkNothing));
    expect(check[0]).toBe('checkNothing (libs/primitives/src/problems/refusal-debug.spec)');
    expect(check.length).toBeLessThanOrEqual(3);
  });

  it('names the file alone of a function without a name', async () => {
    const { check } = debugOf(
      await caught(() =>
        [1].forEach(() => {
          throw new Problem('conflict', 'It is taken.');
        }),
      ),
    );
    expect(check[0]).toBe('libs/primitives/src/problems/refusal-debug.spec');
  });

  it('names what it is about; what is nearer to the check counts', async () => {
    const error = await caught(() =>
      concerning({ template: 'diploma', schemaVersion: 1 }, () =>
        concerning({ configuration: 'diploma', schemaVersion: 2 }, checkNothing),
      ),
    );
    expect(error).toBeInstanceOf(Problem);
    expect(debugOf(error)).toMatchObject({ template: 'diploma', configuration: 'diploma', schemaVersion: 2 });
  });

  it('uses the cause, where one error wraps another', async () => {
    const cause = await caught(() => concerning({ template: 'diploma' }, checkNothing));
    const { check, template } = debugOf(new Error('rendered', { cause }));
    expect(check[0]).toContain('checkNothing');
    expect(template).toBe('diploma');
  });

  it('has nothing to say of what is no error', () => {
    expect(debugOf('text')).toEqual({ check: [] });
  });
});
