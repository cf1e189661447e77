import { coseNumbersOf } from '../../wire/algorithm-names';
import { readTypeName } from '../../wire/wire-name';
import { member } from '../../wire/wire-object';
import { type ConfigurationMembers } from '../configuration-members';
import { type IssuedFormat, type NamedByType } from '../credential-format';

/** An mdoc of ISO/IEC 18013-5 (OpenID4VCI 1.0 appendix A.2). */
export interface MdocConfiguration extends ConfigurationMembers {
  readonly format: 'mso_mdoc';
  /** Such as `org.iso.18013.5.1.mDL`. */
  readonly doctype: string;
  /** After the issue, when a wallet may expect another one: an ISO 8601 duration. */
  readonly expectedUpdate?: string;
}

export interface NamedMdoc extends NamedByType {
  readonly format: 'mso_mdoc';
  readonly doctype: string;
}

export const issuedMdoc: IssuedFormat<MdocConfiguration, NamedMdoc> = {
  typesOf: ({ doctype }) => [doctype],
  typesInMetadata: (configuration) => [member(configuration, 'doctype')],
  faultsOfType: ({ doctype }) => (doctype === '' ? ['doctype is missing'] : []),
  renderType: ({ doctype }) => ({ doctype }),
  renderEarlierType: ({ doctype }, claims) => ({ doctype, ...(claims && { claims }) }),
  // The device key is in it as a COSE_Key, however the wallet has proved it.
  bindingMethods: ['cose_key'],
  signingAlgorithmValues: coseNumbersOf,
  renderTypeMetadata: () => undefined,
  pathToClaims: [],
  readNamed: (format, body) => ({ by: 'format', format, doctype: readTypeName(body, 'doctype', format, 'document') }),
  isNamedBy: (named, { doctype }) => named.doctype === doctype,
  typeText: ({ doctype }) => doctype,
};
