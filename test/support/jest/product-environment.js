/**
 * Jest loads every module anew for every test file, into a realm of its own. For the product, with its 2,700 modules, that
 * takes longer than most files' tests. So tests take it, and the packages it depends on, as Node itself loads them:
 * once per worker, and compiled for all of its files. What a file starts is its own still: services, databases, servers.
 * Modules of the product keep nothing but caches of what their key determines. Its lines in a stack are those of the compiled file.
 */
const { TestEnvironment } = require('jest-environment-node');
const Module = require('node:module');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
require('../../event-store/typescript');

// Threads run what Node can load by itself.
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return /^\.\/(check|reading)-thread-program$/.test(request)
    ? require.resolve(`${request}.js`)
    : resolve.call(this, request, ...rest);
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
/** Bytes on the heap from which the realms of earlier files are collected. Node would wait until it has nothing left. */
const collectedFrom = 200 * 1024 ** 2;
/** KiB of memory that a worker may have had at once. */
const mostMemory = 1280 * 1024;
let isOver = false;

/** What the product uses of the test file's globals, as far as tests put other functions there. */
const replaceable = ['fetch', 'setInterval', 'clearInterval'];

module.exports = class ProductEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    const { global } = this;
    // `instanceof` and deep equality compare with what the product makes.
    Object.assign(global, { Date, Error, Map, RangeError, Reflect, RegExp, Set, SyntaxError, TypeError });
    global.requireOfProduct = (file) => require(file);
    // Jest's `exit` says which test called it. graceful-fs wraps the other two in each realm, which would keep them all.
    this.usual = { env: process.env, exit: process.exit, cwd: process.cwd, chdir: process.chdir };
    process.exit = global.process.exit;
    Object.defineProperty(global, 'process', { configurable: true, get: () => process });
    this.usualFunctions = Object.fromEntries(replaceable.map((name) => [name, global[name]]));
    for (const name of replaceable) globalThis[name] = (...parameters) => global[name](...parameters);
  }

  async teardown() {
    Object.assign(process, this.usual);
    Object.assign(globalThis, this.usualFunctions);
    await super.teardown();
    if (process.memoryUsage().heapUsed > collectedFrom) collectGarbage();
    const { maxRSS } = process.resourceUsage();
    if (maxRSS > mostMemory && !isOver) {
      // The maximum stays: one file says so.
      isOver = true;
      throw new Error(
        `This worker has taken ${Math.round(maxRSS / 1024)} MiB of memory, by this file or those before it.`,
      );
    }
  }
};
