/**
 * Replaces libs/templates/src/schema/check-thread-program.ts in tests, which build nothing: the path of a program for
 * threads that check claims, and this program, which is the product's own in TypeScript.
 */
const { isMainThread } = require('node:worker_threads');

exports.checkThreadProgram = __filename;

if (!isMainThread) {
  require('../../event-store/typescript');
  require('../../../libs/templates/src/schema/check-thread.worker.ts');
}
