/**
 * Puts the module that Node itself loads in the place of one of the product's, see product-environment.js. A file that asks for
 * Jest's ordinary environment (`@jest-environment node`) has modules of its own: for fake timers, other modules or prototypes.
 */
const { createTransformer } = require('@swc/jest');

module.exports = {
  createTransformer: (options) => {
    const own = createTransformer(options);
    return {
      ...own,
      process: (...given) => {
        const { code, map } = own.process(...given);
        const loaded = `if (globalThis.requireOfProduct) module.exports = requireOfProduct(__filename)`;
        return { code: `${loaded}; else (function () { ${code}\n}).call(this);`, map };
      },
    };
  },
};
