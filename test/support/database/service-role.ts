import { grantStatements, openDriver, partitionsOf, schemaOfTables } from '@app/event-store';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/**
 * Migrates a database as its owner and lets the service in as operators should: with a role of its own that has the rights
 * of `sealwright grants` and no others.
 * @param owner connection string of a fresh database
 * @returns the connection string of the role
 */
export async function asServiceRole(owner: string): Promise<string> {
  const driver = await openDriver({ type: 'postgres', connectionString: owner, poolSize: 1 });
  const role = `app_${randomBytes(6).toString('hex')}`;
  try {
    const statements = grantStatements(role, await schemaOfTables(driver), await partitionsOf(driver));
    await driver.transaction((tx) => tx.script([`create role ${role} login password 'app'`, ...statements].join(';')));
  } finally {
    await driver.close();
  }
  const service = new URL(owner);
  service.username = role;
  service.password = 'app';
  return service.toString();
}

/** Runs statements as the owner, for example to revoke what a role made here was granted. */
export async function asOwner(owner: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: owner });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
