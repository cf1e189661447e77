import { earlierNames, fullySpecifiedNames } from '../../wire/algorithm-names';
import { LONGEST_TEXT, own } from '../../dcql/dcql-reader';
import { type CredentialQueryMembers, type PresentedFormat } from '../credential-format';

/** OpenID4VP 1.0 appendix B.3.5. */
export interface DcqlSdJwtQuery extends CredentialQueryMembers {
  readonly format: 'dc+sd-jwt';
  readonly meta: { readonly vct_values: readonly string[] };
}

const MOST_TYPES = 100;

export const presentedSdJwtVc: PresentedFormat<DcqlSdJwtQuery> = {
  readMeta(query, pointer, reader) {
    const meta = reader.object(own(query, 'meta'), `${pointer}/meta`, ['vct_values']);
    const types = meta && reader.texts(own(meta, 'vct_values'), `${pointer}/meta/vct_values`, MOST_TYPES);
    return types && { format: 'dc+sd-jwt', meta: { vct_values: types } };
  },
  metaSchema: {
    vct_values: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_TYPES,
      items: { type: 'string', minLength: 1, maxLength: LONGEST_TEXT },
    },
  },
  queriedTypes: ({ meta }) => meta.vct_values,
  isOfQueriedType: ({ meta }, types) => types.some((vct) => meta.vct_values.includes(vct)),
  alternativesIn: (meta) => own(meta, 'vct_values'),
  // Appendix B.3.4 wants fully specified identifiers.
  renderVpFormat: (algorithms) => algorithmsOf(fullySpecifiedNames(algorithms)),
  exchange: {
    renderEarlierVpFormats: (algorithms) => ({ 'vc+sd-jwt': algorithmsOf(earlierNames(algorithms)) }),
    renderDescriptorFormat: (algorithms) => ({ 'vc+sd-jwt': algorithmsOf(earlierNames(algorithms)) }),
    typeField({ meta }) {
      const [first, ...others] = meta.vct_values;
      const filter = others.length === 0 ? { const: first } : { enum: meta.vct_values };
      return { path: ['$.vct'], filter: { type: 'string', ...filter } };
    },
    claimPaths: (below) => [`$${below}`],
    submissionNames: ['vc+sd-jwt', 'dc+sd-jwt'],
    // What was sent decides, not the format the submission names for it: the tilde is in every SD-JWT and in no JWT.
    nestingFault: (token) => (token.includes('~') ? 'An SD-JWT holds no further credential' : undefined),
  },
  vouchedBy: 'issuer',
  hasSelectiveDisclosure: true,
  isAlwaysBound: false,
  confirmsTransactionData: true,
  isKnownToHaip: true,
};

function algorithmsOf(algorithms: readonly string[]): Record<string, readonly string[]> {
  return { 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms };
}
