import { LONGEST_TEXT, own } from '../../dcql/dcql-reader';
import { type CredentialQueryMembers, type PresentedFormat } from '../credential-format';

/** OpenID4VP 1.0 appendix B.2.3. */
export interface DcqlMdocQuery extends CredentialQueryMembers {
  readonly format: 'mso_mdoc';
  readonly meta: { readonly doctype_value: string };
}

export const presentedMdoc: PresentedFormat<DcqlMdocQuery> = {
  readMeta(query, pointer, reader) {
    const meta = reader.object(own(query, 'meta'), `${pointer}/meta`, ['doctype_value']);
    const doctype = meta && reader.text(own(meta, 'doctype_value'), `${pointer}/meta/doctype_value`);
    return doctype === null ? null : { format: 'mso_mdoc', meta: { doctype_value: doctype } };
  },
  metaSchema: { doctype_value: { type: 'string', minLength: 1, maxLength: LONGEST_TEXT } },
  queriedTypes: ({ meta }) => [meta.doctype_value],
  isOfQueriedType: ({ meta }, types) => types.includes(meta.doctype_value),
  renderVpFormat: () => ({ issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] }),
  renderEarlierVpFormats: () => ({}),
  renderDescriptorFormat: () => ({}),
  typeField: ({ meta }) => ({ path: ['$.docType'], filter: { type: 'string', const: meta.doctype_value } }),
  claimPaths: (below) => [`$${below}`],
  hasSelectiveDisclosure: true,
  confirmsTransactionData: false,
  isKnownToHaip: true,
  submissionNames: ['mso_mdoc'],
  nestingFault: () => undefined,
};
