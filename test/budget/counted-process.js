// Loaded before the service (`node --require`): counts what its thread does for requests, weighs what its threads keep in memory, and tells
// either to the parent process when asked. Work in the background, which goes on beside a flow for as long as the machine is busy, does not count.
const { AsyncResource, createHook, executionAsyncId } = require('node:async_hooks');
const crypto = require('node:crypto');
const { ServerResponse } = require('node:http');
const { syncBuiltinESMExports } = require('node:module');
const { setTimeout: delay } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

const counts = { promises: 0, timers: 0, ticks: 0 };
const kinds = { PROMISE: 'promises', Timeout: 'timers', Immediate: 'timers', TickObject: 'ticks' };

/** Identifiers of what began with a request: of the connections, and of all that follows. */
const connections = new Set();
const following = new Set();

function isOfRequest() {
  const id = executionAsyncId();
  return connections.has(id) || following.has(id);
}

createHook({
  init(id, type) {
    if (type === 'HTTPINCOMINGMESSAGE') connections.add(id);
    if (!isOfRequest()) return;
    following.add(id);
    const kind = kinds[type];
    if (kind !== undefined) counts[kind]++;
  },
}).enable();

function count(name, owner, method) {
  counts[name] ??= 0;
  const original = owner[method];
  owner[method] = function (...given) {
    if (isOfRequest()) counts[name]++;
    return Reflect.apply(original, this, given);
  };
}

count('headerCalls', ServerResponse.prototype, 'setHeader');
count('binds', AsyncResource, 'bind');
count('binds', AsyncResource.prototype, 'bind');
count('hmacs', crypto, 'createHmac');
count('signatures', crypto, 'sign');
count('randomValues', crypto, 'randomBytes');
count('randomValues', crypto, 'randomUUID');
count('stringified', JSON, 'stringify');
syncBuiltinESMExports();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Bytes that this thread keeps, in its heap and beside it. */
async function weight() {
  // What is finalized may have held others.
  for (let times = 0; times < 4; times++) {
    collect();
    await delay(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The thread of the background loads this file as well.
const threads = new BroadcastChannel('weight');
if (isMainThread) {
  process.on('message', (asked) => {
    // No flow is under way.
    following.clear();
    if (asked === 'weight') threads.postMessage(asked);
    else process.send({ ...counts });
  });
  threads.onmessage = async ({ data: background }) => process.send({ requests: await weight(), background });
  process.channel.unref();
} else {
  threads.onmessage = async () => threads.postMessage(await weight());
}
threads.unref();
