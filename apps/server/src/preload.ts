import { wantsTraces } from '@app/config/src/traces-environment';

/** Sends the traces that are left; nothing when there are none. */
export let stopTraces = (): Promise<void> => Promise.resolve();

// Before anything else of the program: what is traced is changed while it is loaded. A start without traces loads
// nothing of all this, hence no import.
if (wantsTraces()) {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- `import()` would let the program load first
  const { startTraces } = require('./traces') as typeof import('./traces');
  stopTraces = startTraces();
}
