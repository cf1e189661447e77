import { openUnderRoot, sealUnderRoot } from '../root/root-envelope';
import type { RootKeys } from '../root/root-keys';

const DATA_KEY = 'data-key';

/** Seals what is stored as the data key of a stream under the current root key. */
export function wrapUnderRoot(roots: RootKeys, content: Buffer, streamId: string): Buffer {
  return sealUnderRoot(roots.sealing, DATA_KEY, content, bindingOf(streamId));
}

/** @param streamId the stream it is stored for; that of another one does not open. Throws `SealBrokenError`. */
export function unwrapUnderRoot(roots: RootKeys, wrapped: Buffer, streamId: string): Buffer {
  return openUnderRoot(roots.opening(wrapped), DATA_KEY, wrapped, bindingOf(streamId));
}

function bindingOf(streamId: string): string {
  return `${DATA_KEY}/${streamId}`;
}
