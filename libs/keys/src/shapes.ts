import { decodeBase64Url } from '@app/primitives/jose';
import { NewerVersionError, shapeVersions, shapeVersionOf, withoutVersion, withVersion } from '@app/event-store';
import type { Authenticator } from './proofs/authenticator';

const MAC = 32;

/**
 * Names the versions of values that are bytes. The first one has no mark; a later one stands before the text (`2~...`) and ends with
 * a MAC that every release can check, whatever it knows of the shape. So a genuine value of a newer release can be told
 * from a forged one.
 */
export class NamedShapes {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly versions: Readonly<Record<string, number>> = shapeVersions,
  ) {}

  /** Which version this release makes of a kind. */
  versionFor(kind: string): number {
    const version = this.versions[kind];
    if (version === undefined) throw new Error(`The shape of "${kind}" has no version.`);
    return version;
  }

  render(kind: string, bytes: Buffer): string {
    const version = this.versionFor(kind);
    const mac = version === 1 ? [] : [macOf(this.authenticator, kind, version, bytes)];
    return withVersion(version, Buffer.concat([bytes, ...mac]).toString('base64url'));
  }

  /**
   * What `render` was given; of the first version, whatever bytes the text encodes. `undefined` for what is no such text, or forged.
   * Throws `NewerVersionError`.
   */
  parse(kind: string, text: string): { readonly version: number; readonly bytes: Buffer } | undefined {
    const version = shapeVersionOf(text);
    const bytes = decodeBase64Url(withoutVersion(text));
    if (version === 1 || !bytes) return bytes && { version, bytes };
    const content = bytes.subarray(0, -MAC);
    const isOurs = this.everyAuthenticator().some((by) =>
      bytes.subarray(-MAC).equals(macOf(by, kind, version, content)),
    );
    if (!isOurs) return undefined;
    if (version > this.versionFor(kind)) throw new NewerVersionError(kind);
    return { version, bytes: content };
  }

  private everyAuthenticator(): Authenticator[] {
    return [this.authenticator, ...this.authenticator.others(new Date(0))];
  }
}

function macOf(by: Authenticator, kind: string, version: number, bytes: Buffer): Buffer {
  return by.mac('named-shape', kind, String(version), bytes);
}
