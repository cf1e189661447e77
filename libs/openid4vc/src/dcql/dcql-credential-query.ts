import { meant } from '@app/primitives/json';
import { readClaims } from './dcql-claims-query';
import { type DcqlReader, own, quote } from './dcql-reader';
import { readTrustedAuthorities } from './dcql-trusted-authorities';
import { type QueriedType } from '../formats/credential-format';
import { credentialFormats, type DcqlCredentialQuery, formatOf, isFormatName } from '../formats/registry';
import { type WireObject } from '../wire/wire-object';

/** Members of a credential query besides those it must have. */
export const furtherMembers = [
  'multiple',
  'require_cryptographic_holder_binding',
  'trusted_authorities',
  'claims',
  'claim_sets',
];

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
  const named = own(query, 'format');
  const format = isFormatName(named) ? formatOf(named) : undefined;
  const rest = {
    ...readFlag(query, 'multiple', pointer, reader),
    ...readBinding(query, pointer, reader, format),
    ...readTrustedAuthorities(query, pointer, reader),
    ...readClaims(query, pointer, reader, format?.claims),
  };
  return id === null || kind === null ? null : { id, ...kind, ...rest };
}

/** Whether a credential of these types (the `vct`, or the types of `vc`) is one that the query asks for. */
export function isOfQueriedType(query: DcqlCredentialQuery, types: readonly string[]): boolean {
  return formatOf(query.format).isOfQueriedType(query, types);
}

function readKind(query: WireObject, pointer: string, reader: DcqlReader): QueriedType<DcqlCredentialQuery> | null {
  const format = own(query, 'format');
  if (isFormatName(format)) return formatOf(format).readMeta(query, pointer, reader);
  const known = [...credentialFormats].sort();
  return reader.refuse(
    `${pointer}/format`,
    format === undefined
      ? `is required: ${known.join(' or ')}`
      : `the format ${quote(format)} is not supported; ${known.join(' and ')} are${meant(format, known)}`,
  );
}

function readBinding(
  query: WireObject,
  pointer: string,
  reader: DcqlReader,
  format: { readonly id: string; readonly isAlwaysBound: boolean } | undefined,
): Pick<DcqlCredentialQuery, 'require_cryptographic_holder_binding'> {
  const read = readFlag(query, 'require_cryptographic_holder_binding', pointer, reader);
  if (read.require_cryptographic_holder_binding === false && format?.isAlwaysBound) {
    const message = `must be true or left out: every presentation of the format ${format.id} is signed by its holder`;
    reader.refuse(`${pointer}/require_cryptographic_holder_binding`, message);
  }
  return read;
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
