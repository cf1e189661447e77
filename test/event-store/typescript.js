/** Lets plain Node run the TypeScript of this repository (`node -r`): processes that tests start need no build. */
const { existsSync, readFileSync } = require('node:fs');
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
    keepClassNames: true,
  },
  sourceMaps: 'inline',
};

Module._extensions['.ts'] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, library, path] = /^@app\/([^/]+)(\/.+)?$/.exec(request) ?? [];
  if (library === undefined) return resolve.call(this, request, ...rest);
  const folder = join(root, 'libs', library);
  const inside = path && existsSync(join(folder, 'src', path, 'index.ts')) ? `/src${path}/index` : path;
  const file = inside ?? (existsSync(join(folder, 'src/index.ts')) ? '/src/index' : '/src/api');
  return resolve.call(this, folder + file, ...rest);
};
