import { coseNumbersOf } from '../../wire/algorithm-names';
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
  alternativesIn: (meta) => [own(meta, 'doctype_value')],
  // Appendix B.2.2. The numbers of deviceMac are left out: no key of ours goes into one.
  renderVpFormat(algorithms) {
    const numbers = algorithms.flatMap((algorithm) => coseNumbersOf(algorithm));
    return { issuerauth_alg_values: numbers, deviceauth_alg_values: numbers };
  },
  claims: {
    // OpenID4VP 1.0 §7.2
    faultOfPath(path) {
      if (path.length === 2 && path.every((step) => typeof step === 'string')) return undefined;
      return 'must be two names: the name space and the data element';
    },
    pathSchema: { minItems: 2, maxItems: 2, items: { type: 'string' } },
    // Appendix B.2.4
    flags: ['intent_to_retain'],
  },
  stepsAboveClaims: 1,
  vouchedBy: 'document',
  hasSelectiveDisclosure: true,
  isAlwaysBound: true,
  // Only what a document type defines a device-signed element for could be, and none here does.
  confirmsTransactionData: false,
  isKnownToHaip: true,
};
