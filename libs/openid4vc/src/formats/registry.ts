import { type WireFormat } from './credential-format';
import { type JwtVcJsonConfiguration, type NamedJwtVcJson } from './jwt-vc-json/issued';
import { jwtVcJsonWire } from './jwt-vc-json/jwt-vc-json';
import { type DcqlJwtVcQuery } from './jwt-vc-json/presented';
import { type MdocConfiguration, type NamedMdoc } from './mdoc/issued';
import { mdocWire } from './mdoc/mdoc';
import { type DcqlMdocQuery } from './mdoc/presented';
import { type NamedSdJwtVc, type SdJwtVcConfiguration } from './sd-jwt-vc/issued';
import { type DcqlSdJwtQuery } from './sd-jwt-vc/presented';
import { sdJwtVcWire } from './sd-jwt-vc/sd-jwt-vc';

/** What we offer to issue, free of any draft: both metadata documents and every request are read against it. */
export type CredentialConfiguration = JwtVcJsonConfiguration | SdJwtVcConfiguration | MdocConfiguration;
export type NamedByFormat = NamedJwtVcJson | NamedSdJwtVc | NamedMdoc;
export type DcqlCredentialQuery = DcqlJwtVcQuery | DcqlSdJwtQuery | DcqlMdocQuery;

/** A format identifier of the final specifications. */
export type CredentialFormatId = CredentialConfiguration['format'];
/** A format identifier of any draft. */
export type FormatName = NamedByFormat['format'];

type AnyFormat = WireFormat<CredentialConfiguration, NamedByFormat, DcqlCredentialQuery>;

/** Every format, in the order in which documents list them. */
export const wireFormats: readonly AnyFormat[] = [jwtVcJsonWire, sdJwtVcWire, mdocWire];

export const credentialFormats: readonly CredentialFormatId[] = wireFormats.map(({ id }) => id);

export function isCredentialFormat(value: unknown): value is CredentialFormatId {
  return wireFormats.some(({ id }) => id === value);
}

const byName = new Map<unknown, AnyFormat>(wireFormats.flatMap((format) => format.names.map((name) => [name, format])));

export function isFormatName(value: unknown): value is FormatName {
  return byName.has(value);
}

/** @throws TypeError for the name of a format that only a newer version knows. */
export function formatOf(name: FormatName): AnyFormat {
  const format = byName.get(name);
  if (format === undefined) throw new TypeError(`The credential format ${name} is not known to this version`);
  return format;
}
