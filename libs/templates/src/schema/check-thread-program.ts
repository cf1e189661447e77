import { join } from 'node:path';

/** The built program of a thread that checks claims. Tests, which build nothing, put another path in its place. */
export const checkThreadProgram = join(__dirname, 'check-thread.worker.js');
