import { emptyTable } from '../../fixtures/key-table';
import { KeyStoreLockedError } from '../errors';
import { openRootKeys } from './open-root-keys';

describe('the root key', () => {
  it('is one for replicas that start at once, and needs the password', async () => {
    const { table, rows } = emptyTable();
    const roots = await Promise.all([1, 2].map(() => openRootKeys(table, 'right-password')));
    const derived = roots.map((key) => key.current.derive('example').export().toString('hex'));
    expect(derived[0]).toBe(derived[1]);
    expect(rows).toHaveLength(1);
    const locked = openRootKeys(table, 'wrong-password');
    await expect(locked).rejects.toThrow(KeyStoreLockedError);
    await expect(locked).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('wrong-password') }),
    );
  });
});
