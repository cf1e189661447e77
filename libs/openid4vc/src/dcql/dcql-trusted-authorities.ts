import { urlOf } from '@app/primitives/url';
import { meant } from '@app/primitives/json';
import { type DcqlReader, own, quote, sound } from './dcql-reader';
import { type WireObject } from '../wire/wire-object';

export interface DcqlTrustedAuthorities {
  readonly type: 'aki' | 'etsi_tl';
  readonly values: readonly string[];
}

export const MOST_AUTHORITIES = 20;
export const MOST_AUTHORITY_VALUES = 100;

/** What a value is, by the type of authority. */
export const AUTHORITY_VALUES: Readonly<
  Record<DcqlTrustedAuthorities['type'], { readonly pattern: string; readonly named: string }>
> = {
  aki: { pattern: '^([A-Za-z0-9_-]{4})*[A-Za-z0-9_-]{2,4}$', named: 'a key identifier in base64url' },
  etsi_tl: { pattern: '^https?://[^\\x00-\\x20/]', named: 'the URL of a trusted list' },
};

/** `trusted_authorities` of one credential query (OpenID4VP 1.0 §6.1.1). */
export function readTrustedAuthorities(
  query: WireObject,
  credential: string,
  reader: DcqlReader,
): { trusted_authorities?: readonly DcqlTrustedAuthorities[] } {
  const value = own(query, 'trusted_authorities');
  if (value === undefined) return {};
  const pointer = `${credential}/trusted_authorities`;
  const entries = (reader.items(value, pointer, MOST_AUTHORITIES) ?? []).map<DcqlTrustedAuthorities | null>(
    (item, index) => {
      const at = `${pointer}/${index}`;
      const entry = reader.object(item, at, ['type', 'values']);
      const type = entry && own(entry, 'type');
      if (type !== 'aki' && type !== 'etsi_tl') {
        return reader.refuse(
          `${at}/type`,
          `${quote(type)} is not supported; aki and etsi_tl are${meant(type, Object.keys(AUTHORITY_VALUES))}`,
        );
      }
      const values = reader.texts(own(entry ?? {}, 'values'), `${at}/values`, MOST_AUTHORITY_VALUES) ?? [];
      const { pattern, named } = AUTHORITY_VALUES[type];
      const shape = new RegExp(pattern);
      values.forEach((text, position) => {
        if (!shape.test(text) || (type !== 'aki' && urlOf(text) === undefined)) {
          reader.refuse(`${at}/values/${position}`, `must be ${named}`);
        }
      });
      return { type, values };
    },
  );
  return { trusted_authorities: sound(entries) };
}
