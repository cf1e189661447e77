import { type DcqlClaimsQuery, readClaims } from './dcql-claims-query';
import { type DcqlReader, own, quote, sound } from './dcql-reader';
import { type WireObject } from './wire-object';

export interface DcqlTrustedAuthorities {
  readonly type: 'aki' | 'etsi_tl' | 'openid_federation';
  readonly values: readonly string[];
}

interface AnyCredentialQuery {
  readonly id: string;
  /** False when absent. */
  readonly multiple?: boolean;
  /** True when absent. */
  readonly require_cryptographic_holder_binding?: boolean;
  readonly trusted_authorities?: readonly DcqlTrustedAuthorities[];
  readonly claims?: readonly DcqlClaimsQuery[];
  /** Lists of claim ids, the preferred one first; never without `claims`. */
  readonly claim_sets?: readonly (readonly string[])[];
}

export interface DcqlSdJwtQuery extends AnyCredentialQuery {
  readonly format: 'dc+sd-jwt';
  readonly meta: { readonly vct_values: readonly string[] };
}

export interface DcqlJwtVcQuery extends AnyCredentialQuery {
  readonly format: 'jwt_vc_json';
  /** Each inner list is one alternative: all of its types must be there. */
  readonly meta: { readonly type_values: readonly (readonly string[])[] };
}

export type DcqlCredentialQuery = DcqlSdJwtQuery | DcqlJwtVcQuery;

const MOST_TYPES = 100;
const MOST_TYPES_IN_ONE = 20;
const MOST_AUTHORITIES = 20;
const MOST_AUTHORITY_VALUES = 100;

/**
 * One entry of `credentials` (OpenID4VP 1.0 §6.1); null after something in it was refused.
 * @param id already read, null when it was refused.
 */
export function readCredentialQuery(
  id: string | null,
  query: WireObject,
  pointer: string,
  reader: DcqlReader,
): DcqlCredentialQuery | null {
  const kind = readKind(query, pointer, reader);
  const rest = {
    ...readFlag(query, 'multiple', pointer, reader),
    ...readFlag(query, 'require_cryptographic_holder_binding', pointer, reader),
    ...readTrustedAuthorities(query, pointer, reader),
    ...readClaims(query, pointer, reader),
  };
  return id === null || kind === null ? null : { id, ...kind, ...rest };
}

type Kind = Pick<DcqlSdJwtQuery, 'format' | 'meta'> | Pick<DcqlJwtVcQuery, 'format' | 'meta'>;

function readKind(query: WireObject, pointer: string, reader: DcqlReader): Kind | null {
  const format = own(query, 'format');
  switch (format) {
    case 'dc+sd-jwt':
    // The name of the same format before OpenID4VP draft 23.
    case 'vc+sd-jwt': {
      const meta = readMeta(query, pointer, reader);
      const types = meta && reader.texts(own(meta, 'vct_values'), `${pointer}/meta/vct_values`, MOST_TYPES);
      return types && { format: 'dc+sd-jwt', meta: { vct_values: types } };
    }
    case 'jwt_vc_json': {
      const at = `${pointer}/meta/type_values`;
      const meta = readMeta(query, pointer, reader);
      const alternatives = meta && reader.items(own(meta, 'type_values'), at, MOST_TYPES);
      const types =
        alternatives && alternatives.map((item, index) => reader.texts(item, `${at}/${index}`, MOST_TYPES_IN_ONE));
      return types && { format, meta: { type_values: sound(types) } };
    }
    default:
      return reader.refuse(
        `${pointer}/format`,
        format === undefined
          ? 'is required: dc+sd-jwt or jwt_vc_json'
          : `the format ${quote(format)} is not supported; dc+sd-jwt and jwt_vc_json are`,
      );
  }
}

function readMeta(query: WireObject, pointer: string, reader: DcqlReader): WireObject | null {
  return reader.object(own(query, 'meta'), `${pointer}/meta`);
}

function readFlag<Name extends 'multiple' | 'require_cryptographic_holder_binding'>(
  query: WireObject,
  name: Name,
  pointer: string,
  reader: DcqlReader,
): { [name in Name]?: boolean } {
  const value = own(query, name);
  const flag = value === undefined ? null : reader.flag(value, `${pointer}/${name}`);
  return flag === null ? {} : ({ [name]: flag } as { [name in Name]: boolean });
}

// OpenID4VP 1.0 §6.1.1: what a value is, by the type of authority.
const AUTHORITY_VALUES: Readonly<Record<DcqlTrustedAuthorities['type'], { shape: RegExp; named: string }>> = {
  aki: { shape: /^(?:[\w-]{4})*(?:[\w-]{2,4})$/u, named: 'a key identifier in base64url' },
  etsi_tl: { shape: /^https?:\/\/[^\s/]+/u, named: 'the URL of a trusted list' },
  openid_federation: { shape: /^https?:\/\/[^\s/]+/u, named: 'an entity identifier, which is a URL' },
};

function readTrustedAuthorities(
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
      const entry = reader.object(item, at);
      const type = entry && own(entry, 'type');
      if (type !== 'aki' && type !== 'etsi_tl' && type !== 'openid_federation') {
        return reader.refuse(`${at}/type`, `${quote(type)} is not supported; aki, etsi_tl and openid_federation are`);
      }
      const values = reader.texts(own(entry ?? {}, 'values'), `${at}/values`, MOST_AUTHORITY_VALUES) ?? [];
      const { shape, named } = AUTHORITY_VALUES[type];
      values.forEach((text, position) => {
        if (!shape.test(text) || (type !== 'aki' && !URL.canParse(text))) {
          reader.refuse(`${at}/values/${position}`, `must be ${named}`);
        }
      });
      return { type, values };
    },
  );
  return { trusted_authorities: sound(entries) };
}
