/** Lets plain Node run the TypeScript of this repository (`node -r`): processes that tests start need no build. */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const root = join(__dirname, '../..');
const options = {
  module: { type: 'commonjs', ignoreDynamic: true },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  sourceMaps: 'inline',
};

Module._extensions['.ts'] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, library] = /^@app\/([^/]+)$/.exec(request) ?? [];
  const door = ['templates', 'offers', 'issuance', 'status', 'verification'].includes(library) ? 'api' : 'index';
  return resolve.call(this, library === undefined ? request : join(root, 'libs', library, 'src', door), ...rest);
};
