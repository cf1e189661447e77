import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sharedPostgres } from '../support/database/postgres';
import { failingStart } from '../support/service/failing-start';
import { startService } from '../support/service/service';

async function anEmptyDatabase(): Promise<Record<string, string>> {
  return {
    SERVICE__PROFILE: 'development',
    SERVICE__APPLICATION_URL: 'http://127.0.0.1:3033',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
  };
}

describe('a start that cannot succeed', () => {
  it('with an unknown event store names the two that exist', async () => {
    const { code, output } = await failingStart({
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__TYPE: 'mongodb',
    });
    expect(code).toBe(1);
    expect(output).toContain('postgres, embedded');
    expect(output).not.toContain('mongodb');
  });

  it('with a wrong password says so in one line and does not print it', async () => {
    const settings = await anEmptyDatabase();
    await (await startService(settings)).stop();
    const wrong = { ...settings, SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'certainly-another-one' };
    const { code, output } = await failingStart(wrong);
    expect(code).toBe(1);
    expect(output).toMatch(/password/i);
    expect(output).not.toContain('certainly-another-one');
    expect(
      output
        .trim()
        .split('\n')
        .filter((line) => !line.includes('WARN')),
    ).toHaveLength(1);
  });

  it('that receives a signal while it waits for its database gives the reason once', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const settings = {
      SERVICE__PROFILE: 'development',
      SERVICE__APPLICATION_URL: 'http://127.0.0.1:3033',
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: `postgres://a:b@127.0.0.1:${port}/c`,
    };
    const { code, output } = await failingStart(settings, async (child) => {
      await once(silent, 'connection');
      child.kill('SIGTERM');
    });
    expect(code).toBe(0);
    silent.close();
    expect(output).toBe(
      'The database cannot be reached: Connection terminated due to connection timeout\n' +
        'Make the server reachable from this machine (firewall, network policy), or correct host and port in ' +
        'SERVICE__EVENT_STORE__CONNECTION_STRING.\n',
    );
  }, 30_000);

  it('with a metrics port that is in use names the setting', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { code, output } = await failingStart({
      ...(await anEmptyDatabase()),
      SERVICE__METRICS__ENABLED: 'true',
      SERVICE__METRICS__PORT: String(port),
    });
    holder.close();
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} (SERVICE__METRICS__PORT) is in use by another process`);
  });

  it('fails when the second one is taken, with the reason', async () => {
    const taken = await startService();
    const { code, output } = await failingStart({
      ...(await anEmptyDatabase()),
      SERVICE__HTTP__PORT: '0',
      SERVICE__MANAGEMENT__PORT: new URL(taken.url).port,
    });
    await taken.stop();
    expect(code).toBe(1);
    const { port } = new URL(taken.url);
    expect(output).toContain(`Port ${port} (SERVICE__MANAGEMENT__PORT) is in use by another process`);
  }, 60_000);
});
