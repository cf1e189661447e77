const { createTransformer } = require('@swc/jest');
const { resolve } = require('node:path');

const mutant = JSON.parse(process.env.MUTANT ?? 'null');
const mutatedFile = mutant && resolve(__dirname, '../..', mutant.file);

/** What Jest compiles, with the fault that MUTANT describes in its file. */
function mutated(source, file) {
  if (file !== mutatedFile) return source;
  const parts = source.split(mutant.original);
  if (parts.length !== 2) throw new Error(`The original text of the mutant is not there once: ${mutant.original}`);
  return parts.join(mutant.replacement);
}

module.exports = {
  createTransformer(options) {
    const usual = createTransformer(options);
    return {
      ...usual,
      process: (source, file, context) => usual.process(mutated(source, file), file, context),
      processAsync: (source, file, context) => usual.processAsync(mutated(source, file), file, context),
      getCacheKey: (source, file, context) => usual.getCacheKey(mutated(source, file), file, context),
    };
  },
};
