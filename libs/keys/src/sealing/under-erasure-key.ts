import { openBytes, sealBytes } from '../root/envelope';

const DATA_KEY_LENGTH = 32;

/** Whether what was under the root key is an envelope, and not the data key itself. */
export function isUnderErasureKey(content: Buffer): boolean {
  return content.length !== DATA_KEY_LENGTH;
}

export function sealUnderErasureKey(erasureKey: Buffer, dataKey: Buffer, streamId: string): Buffer {
  return sealBytes(erasureKey, dataKey, placeOf(streamId));
}

/** Throws `SealBrokenError`. */
export function openUnderErasureKey(erasureKey: Buffer, content: Buffer, streamId: string): Buffer {
  return openBytes(erasureKey, content, placeOf(streamId));
}

function placeOf(streamId: string): string {
  return `erasure-key/${streamId}`;
}
