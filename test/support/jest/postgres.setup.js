const { startPostgres } = require('../database/postgres');

/** Before the product tests: one PostgreSQL server, on which each service and each test file gets a database of its own. */
module.exports = async () => {
  const server = await startPostgres();
  process.env.SERVICE_TEST_SHARED_POSTGRES = server.url;
  globalThis.sharedPostgres = server;
};
