import { type CredentialFormatId, formatOf, wireFormats } from '../formats/registry';

/** Whether wallets of HAIP 1.0 can be asked for it. */
export function isFormatOfHaip(format: CredentialFormatId): boolean {
  return formatOf(format).isKnownToHaip;
}

/** The purpose of the trust anchors that vouch for its issuers. */
export function vouchedBy(format: CredentialFormatId): 'issuer' | 'document' {
  return formatOf(format).vouchedBy;
}

/** `vp_formats_supported` of OpenID4VP 1.0 (§11.1), only for the formats that are asked for. */
export function renderVpFormatsSupported(
  asked: readonly CredentialFormatId[],
  algorithms: readonly string[],
): Record<string, unknown> {
  const named = wireFormats.filter(({ id }) => asked.includes(id));
  return Object.fromEntries(named.map((format) => [format.id, format.renderVpFormat(algorithms)]));
}

/**
 * `vp_formats` of drafts 18 to 26. Only what is asked for, and one member in each object where the draft has one:
 * strictly typed wallets fail on names they do not know.
 */
export function renderVpFormats(
  asked: readonly CredentialFormatId[],
  algorithms: readonly string[],
): Record<string, unknown> {
  const named = wireFormats.filter(({ id }) => asked.includes(id));
  return Object.assign({}, ...named.map((format) => format.exchange?.renderEarlierVpFormats(algorithms))) as Record<
    string,
    unknown
  >;
}
