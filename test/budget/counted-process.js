// Loaded before the service (`node --require`): counts what its one thread does, and tells it to the parent process when asked.
const { AsyncResource, createHook } = require('node:async_hooks');
const crypto = require('node:crypto');
const { ServerResponse } = require('node:http');
const { syncBuiltinESMExports } = require('node:module');

const counts = { promises: 0, timers: 0, ticks: 0 };
const kinds = { PROMISE: 'promises', Timeout: 'timers', Immediate: 'timers', TickObject: 'ticks' };

createHook({
  init(_id, type) {
    const kind = kinds[type];
    if (kind !== undefined) counts[kind]++;
  },
}).enable();

function count(name, owner, method) {
  counts[name] ??= 0;
  const original = owner[method];
  owner[method] = function (...given) {
    counts[name]++;
    return Reflect.apply(original, this, given);
  };
}

count('headerCalls', ServerResponse.prototype, 'setHeader');
count('binds', AsyncResource, 'bind');
count('binds', AsyncResource.prototype, 'bind');
count('hmacs', crypto, 'createHmac');
count('randomValues', crypto, 'randomBytes');
count('randomValues', crypto, 'randomUUID');
count('stringified', JSON, 'stringify');
syncBuiltinESMExports();

process.on('message', () => process.send({ ...counts }));
process.channel.unref();
