import { openUnderRoot, sealUnderRoot } from '../root/root-envelope';
import type { RootKey } from '../root/root-key';
import type { RootKeys } from '../root/root-keys';

const DATA_KEY = 'data-key';

/** Seals what is stored as the data key of a stream under the current root key. */
export function wrapUnderRoot(roots: RootKeys, content: Buffer, streamId: string): Buffer {
  const root = roots.sealing;
  return sealUnderRoot(root, DATA_KEY, content, bindingOf(root, streamId));
}

/** @param streamId the stream it is stored for; that of another one does not open. Throws `SealBrokenError`. */
export function unwrapUnderRoot(roots: RootKeys, wrapped: Buffer, streamId: string): Buffer {
  const root = roots.opening(wrapped);
  return openUnderRoot(root, DATA_KEY, wrapped, bindingOf(root, streamId));
}

/** Under the first root key, of earlier releases, data keys are all of one kind; under later ones each is its stream's. */
function bindingOf({ generation }: RootKey, streamId: string): string {
  return generation === 1 ? DATA_KEY : `${DATA_KEY}/${streamId}`;
}
