import { wantsTraces } from '@app/config';
import { startTraces } from '@app/observability';
import { productVersion } from './version';

/** Sends the traces that are left; nothing when there are none. Recording them has begun when this file is loaded. */
export const stopTraces = wantsTraces() ? startTraces(productVersion()) : (): Promise<void> => Promise.resolve();
