// Loaded before the service (`node --require`): counts what its thread does for requests, and tells it to the parent process when
// asked. Work in the background, which goes on beside a flow for as long as the machine is busy, does not count.
const { AsyncResource, createHook, executionAsyncId } = require('node:async_hooks');
const crypto = require('node:crypto');
const { ServerResponse } = require('node:http');
const { syncBuiltinESMExports } = require('node:module');
const { isMainThread } = require('node:worker_threads');

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

// The thread of the background loads this file as well.
if (isMainThread) {
  process.on('message', () => {
    // No flow is under way.
    following.clear();
    process.send({ ...counts });
  });
  process.channel.unref();
}
