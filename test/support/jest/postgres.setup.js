const { startPostgres } = require('../database/postgres');

/** Before the product tests: one PostgreSQL server, on which each service and each test file gets a database of its own. */
module.exports = async () => {
  // A transaction that a failed test leaves open holds up the readers of events in all databases, and would fail others.
  const server = await startPostgres({ idleTransaction: 15_000 });
  process.env.SERVICE_TEST_SHARED_POSTGRES = server.url;
  globalThis.sharedPostgres = server;
};
