/** Puts the module that Node itself loads in the place of one of the product's, see product-environment.js. */
module.exports = {
  process: () => ({ code: 'module.exports = requireOfProduct(__filename);' }),
};
