// Loaded before the service (`NODE_OPTIONS`): its thread of the background ends or hangs while a file of that name is in a folder.
const { existsSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const asked = (fault) => join(process.env.BACKGROUND_FAULTS, fault);

function look() {
  if (existsSync(asked('ends'))) {
    rmSync(asked('ends'));
    throw new Error('canary');
  }
  while (existsSync(asked('hangs'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

if (!isMainThread) setInterval(look, 20).unref();
