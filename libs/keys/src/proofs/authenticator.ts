import { currentTenant } from '@app/primitives/context';
import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { withoutVersion, withVersion } from '@app/event-store';
import type { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';

/** Keyed hashes under keys that are never handed out: values that only this service, on any replica, can have made. */
export class Authenticator {
  readonly #roots: RootKeys;

  constructor(roots: RootKeys) {
    this.#roots = roots;
  }

  /**
   * Those of the other root keys whose MACs may still be in use: of the next one, and of former ones that were active
   * until `since` or later.
   */
  others(since: Date): Authenticator[] {
    const former = this.#roots.former().filter(({ retiredAt }) => retiredAt >= since);
    return [...this.#roots.coming(), ...former.map(({ root }) => root)].map(
      (root) => new Authenticator(new RootKeys(root)),
    );
  }

  /** Random text for values derived from it and a key. It names the root key, so that they do not change with the key, and the version of their shape. */
  newSalt(bytes: number, version = 1): string {
    const { generation } = this.#roots.current;
    const salt = randomBytes(bytes).toString('base64url');
    return withVersion(version, generation === 1 ? salt : `${generation}.${salt}`);
  }

  /** A MAC over a salt of `newSalt` and further parts, the same whichever root key is active. */
  macOfSalt(purpose: string, salt: string, ...parts: readonly string[]): Buffer {
    return this.macUnderKeyOf(salt, purpose, salt, ...parts);
  }

  /** HMAC-SHA-256 (32 bytes) over the parts, each prefixed with its length, under a key of the purpose's own. */
  mac(purpose: string, ...parts: readonly (Buffer | string)[]): Buffer {
    return macUnder(this.#roots.current, purpose, parts);
  }

  /** Whether `given` is the MAC of the parts; takes the same time wherever a difference lies. */
  matches(given: Buffer, purpose: string, ...parts: readonly (Buffer | string)[]): boolean {
    const expected = this.mac(purpose, ...parts);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** A MAC over the parts, under the root key that a salt of `newSalt` names. */
  macUnderKeyOf(salt: string, purpose: string, ...parts: readonly string[]): Buffer {
    return macUnder(this.#rootOfSalt(salt), purpose, parts);
  }

  #rootOfSalt(salt: string): RootKey {
    const [generation] = salt.includes('.') ? withoutVersion(salt).split('.') : ['1'];
    return this.#roots.ofGeneration(Number(generation));
  }
}

/** SHA-256 of a value too long to guess (128 random bits or more), under which its single use is recorded. */
export function hashOfSecret(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}

/** A tenant has keys of its own, so that what is made in its name is nothing in any other. */
function macKey(root: RootKey, purpose: string): KeyObject {
  const ofAll = root.derive(`mac/${purpose}`);
  const tenant = currentTenant();
  if (tenant === undefined) return ofAll;
  const known = tenant.made.get(ofAll) as KeyObject | undefined;
  if (known !== undefined) return known;
  const key = createSecretKey(createHmac('sha256', ofAll).update(`tenant/${tenant.mark}`).digest());
  tenant.made.set(ofAll, key);
  return key;
}

function macUnder(root: RootKey, purpose: string, parts: readonly (Buffer | string)[]): Buffer {
  const hmac = createHmac('sha256', macKey(root, purpose));
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hmac.update(length).update(bytes);
  }
  return hmac.digest();
}
