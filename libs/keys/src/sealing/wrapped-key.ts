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

/** Seals something for a stream under the current root key. @param stream its name in the store */
export function wrapUnderRoot(roots: RootKeys, content: Buffer, stream: string): Buffer {
  return sealUnderRoot(roots.sealing, DATA_KEY, content, bindingOf(stream));
}

/** @param stream the one it is stored for; that of another one does not open. Throws `SealBrokenError`. */
export function unwrapUnderRoot(roots: RootKeys, wrapped: Buffer, stream: string): Buffer {
  return openUnderRoot(roots.opening(wrapped), DATA_KEY, wrapped, bindingOf(stream));
}

/**
 * Seals what is stored as the data key of a stream: under the current root key, and below it under the key of the tenant whose stream it
 * is. Under that one alone, whoever once had it would read what comes after a change of the root key.
 * @param stream its name in the store
 */
export function wrapDataKey(roots: RootKeys, tenantKey: FindTenantKey, content: Buffer, stream: string): Buffer {
  const mark = markOf(stream);
  if (mark === '') return wrapUnderRoot(roots, content, stream);
  const key = tenantKey(mark);
  if (!key) throw new TenantKeyGoneError('The key of the tenant was destroyed.');
  return wrapUnderRoot(roots, sealBytes(key, content, ofTenant(stream)), stream);
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
  const content = unwrapUnderRoot(roots, wrapped, stream);
  const mark = markOf(stream);
  if (mark === '') return content;
  const key = tenantKey(mark);
  return key && openBytes(key, content, ofTenant(stream));
}

function bindingOf(stream: string): string {
  return `${DATA_KEY}/${stream}`;
}

function ofTenant(stream: string): string {
  return `tenant-key/${stream}`;
}
