import { hashOfSecret } from '@app/keys';
import { type Principal, scopes } from '@app/http';
import { timingSafeEqual } from 'node:crypto';

/** Keys that are written down, not made: every scope, no end, all of one client. Only their hashes are kept here. */
export class SettingsKeys {
  private readonly known: readonly { readonly hash: Buffer; readonly principal: Principal }[];

  constructor(keys: readonly string[], client: string) {
    this.known = keys.map(hashOfSecret).map((hash) => ({
      hash,
      // Eight hexadecimal digits distinguish keys and give nothing away of 128 bits or more.
      principal: { id: `settings-key:${hash.toString('hex', 0, 4)}`, client, scopes: new Set(scopes) },
    }));
  }

  /** Whose key the text is; undefined when it is none of these. */
  ownerOf(text: string): Principal | undefined {
    const given = hashOfSecret(text);
    return this.known.find(({ hash }) => timingSafeEqual(hash, given))?.principal;
  }
}
