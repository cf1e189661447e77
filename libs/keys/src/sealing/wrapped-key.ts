import { markOf } from '@app/event-store';
import { openBytes, sealBytes } from '../root/envelope';
import { openUnderRoot, sealUnderRoot } from '../root/root-envelope';
import type { RootKeys } from '../root/root-keys';

const DATA_KEY = 'data-key';

/** Finds the tenant key of a mark; `undefined` when it was destroyed. */
export type FindTenantKey = (mark: string) => Buffer | undefined;

/** A tenant whose key was destroyed gets no data keys any more. */
class TenantKeyGoneError extends Error {
  override readonly name = 'TenantKeyGoneError';
}

/**
 * Seals what is stored as the data key of a stream under the current root key; that of a tenant's stream under the key of the tenant,
 * which alone is under the root key.
 * @param stream its name in the store
 */
export function wrapDataKey(roots: RootKeys, tenantKey: FindTenantKey, content: Buffer, stream: string): Buffer {
  const mark = markOf(stream);
  if (mark === '') return sealUnderRoot(roots.sealing, DATA_KEY, content, bindingOf(stream));
  const key = tenantKey(mark);
  if (!key) throw new TenantKeyGoneError('The key of the tenant was destroyed.');
  return sealBytes(key, content, bindingOf(stream));
}

/**
 * @param stream the name in the store of the stream it is stored for; that of another one does not open. Throws `SealBrokenError`.
 * @returns `undefined` when the key of its tenant was destroyed
 */
export function unwrapDataKey(
  roots: RootKeys,
  tenantKey: FindTenantKey,
  wrapped: Buffer,
  stream: string,
): Buffer | undefined {
  const mark = markOf(stream);
  if (mark === '') return openUnderRoot(roots.opening(wrapped), DATA_KEY, wrapped, bindingOf(stream));
  const key = tenantKey(mark);
  return key && openBytes(key, wrapped, bindingOf(stream));
}

function bindingOf(stream: string): string {
  return `${DATA_KEY}/${stream}`;
}
