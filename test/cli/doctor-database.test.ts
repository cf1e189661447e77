import { sharedPostgres } from '../support/database/postgres';
import { asOwner } from '../support/database/service-role';
import { sealwrightWith } from '../support/service/command-line';
import { examine, type Finding } from '../support/service/examination';

const settings = {
  SERVICE__PROFILE: 'development',
  // Nothing answers there, which is another check.
  SERVICE__APPLICATION_URL: 'http://127.0.0.1:1',
  SERVICE__EVENT_STORE__TYPE: 'postgres',
};

it('the doctor finds a database that answers and takes no writes', async () => {
  const other = await sharedPostgres().createDatabase();
  const own = { ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: other };
  await sealwrightWith(own, ['migrate']);
  expect((await examine(own)).of('writes')).toEqual({
    check: 'writes',
    outcome: 'ok',
    found: 'the database takes them',
  });
  await asOwner(
    sharedPostgres().url,
    `alter database ${new URL(other).pathname.slice(1)} set default_transaction_read_only = on`,
  );
  const { failed, of } = await examine(own);
  expect(failed).toContain('writes');
  expect(of('writes')).toMatchObject({
    found: 'default_transaction_read_only is on: nothing can be written',
    remedy: expect.stringMatching(/^Turn it off where it is set/) as string,
  });
});

it('the doctor says of a database that cannot be opened whether its address, its user or its name is wrong', async () => {
  const wrong = async (change: (url: URL) => void): Promise<Finding | undefined> => {
    const url = new URL(sharedPostgres().url);
    change(url);
    const { failed, of } = await examine({ ...settings, SERVICE__EVENT_STORE__CONNECTION_STRING: url.href });
    expect(failed).toContain('database');
    return of('database');
  };
  const remedies = [
    await wrong((url) => (url.hostname = 'nowhere.invalid')),
    await wrong((url) => (url.port = '1')),
    await wrong((url) => (url.username = 'nobody')),
    await wrong((url) => (url.password = 'Canary')),
    await wrong((url) => (url.pathname = '/nothing')),
    await wrong((url) => (url.search = '?sslmode=require')),
  ].map((finding) => finding?.remedy);
  const setting = 'SERVICE__EVENT_STORE__CONNECTION_STRING';
  expect(remedies).toEqual([
    `Correct the host in ${setting}: its name has no address here.`,
    `Correct the host or the port in ${setting}, or start the server: nothing listens there.`,
    expect.stringContaining(`Correct the user or the password in ${setting}`),
    expect.stringContaining(`Correct the user or the password in ${setting}`),
    `Correct the name of the database in ${setting} (what follows the last "/"), or create the database.`,
    `Turn TLS on at the server, or correct sslmode in ${setting}.`,
  ]);
});
