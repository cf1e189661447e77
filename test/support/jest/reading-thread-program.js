/**
 * Replaces libs/imports/src/reading/reading-thread-program.ts in tests, which build nothing: the path of a program for
 * threads that read files, and this program, which is the product's own in TypeScript.
 */
const { isMainThread } = require('node:worker_threads');

exports.readingThreadProgram = __filename;

if (!isMainThread) {
  require('../../event-store/typescript');
  require('../../../libs/imports/src/reading/reading-thread.worker.ts');
}
