import type { SingleUse } from '@app/event-store';
import { Authenticator } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

const kind = 'credential-reference';
/** Bytes of the keyed hash; as many random ones follow, so that many credentials may have one reference. */
const hashLength = 16;

/**
 * References of portals, such as file numbers. They are personal data and sealed as such; a credential is found by a keyed hash of its
 * reference, which is the same however the reference is written: compatibility forms (NFKC), case and white space do not count.
 */
@Injectable()
export class CredentialReferences {
  constructor(private readonly authenticator: Authenticator) {}

  /** Binds the stream with which it is saved to the reference. */
  bindingOf(reference: string): SingleUse {
    const hash = Buffer.concat([hashUnder(this.authenticator, reference), randomBytes(hashLength)]);
    return { kind, hash, bindsStream: true };
  }

  /** What the values begin with that are bound to the reference, also those made under former root keys. */
  placesOf(reference: string): { readonly kind: string; readonly prefixes: readonly Buffer[] } {
    const all = [this.authenticator, ...this.authenticator.others(new Date(0))];
    return { kind, prefixes: all.map((each) => hashUnder(each, reference)) };
  }
}

function hashUnder(authenticator: Authenticator, reference: string): Buffer {
  const plain = reference.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
  return authenticator.mac(kind, plain).subarray(0, hashLength);
}
