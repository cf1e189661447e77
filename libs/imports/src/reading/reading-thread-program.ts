import { join } from 'node:path';

/** The built program of a thread that reads files. Tests, which build nothing, put another path in its place. */
export const readingThreadProgram = join(__dirname, 'reading-thread.worker.js');
