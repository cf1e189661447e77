/** After them: ends the server that postgres.setup.js started. */
module.exports = () => globalThis.sharedPostgres.stop();
