import { earlierNames } from '../../wire/algorithm-names';
import { LONGEST_TEXT, own, sound } from '../../dcql/dcql-reader';
import { type CredentialQueryMembers, type PresentedFormat } from '../credential-format';

/** OpenID4VP 1.0 appendix B.1.1. */
export interface DcqlJwtVcQuery extends CredentialQueryMembers {
  readonly format: 'jwt_vc_json';
  /** Each inner list is one alternative: all of its types must be there. */
  readonly meta: { readonly type_values: readonly (readonly string[])[] };
}

const MOST_TYPES = 100;
const MOST_TYPES_IN_ONE = 20;
const BASE_TYPE = 'VerifiableCredential';
const EXPANDED_BASE_TYPE = 'https://www.w3.org/2018/credentials#VerifiableCredential';

export const presentedJwtVcJson: PresentedFormat<DcqlJwtVcQuery> = {
  readMeta(query, pointer, reader) {
    const at = `${pointer}/meta/type_values`;
    const meta = reader.object(own(query, 'meta'), `${pointer}/meta`, ['type_values']);
    const alternatives = meta && reader.items(own(meta, 'type_values'), at, MOST_TYPES);
    const types =
      alternatives && alternatives.map((item, index) => reader.texts(item, `${at}/${index}`, MOST_TYPES_IN_ONE));
    return types && { format: 'jwt_vc_json', meta: { type_values: sound(types) } };
  },
  metaSchema: {
    type_values: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_TYPES,
      items: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_TYPES_IN_ONE,
        items: { type: 'string', minLength: 1, maxLength: LONGEST_TEXT },
      },
    },
  },
  // The last one of an alternative says the most.
  queriedTypes({ meta }) {
    const names = meta.type_values.flatMap((types) => distinguishingTypes(types).at(-1) ?? []);
    return names.includes(BASE_TYPE) ? [] : names;
  },
  alternativesIn: (meta) => own(meta, 'type_values'),
  isOfQueriedType({ meta }, types) {
    // No JSON-LD processing: a type stays bare, except the one that every credential has.
    const known = new Set(types.includes(BASE_TYPE) ? [...types, EXPANDED_BASE_TYPE] : types);
    return meta.type_values.some((wanted) => wanted.every((type) => known.has(type)));
  },
  // Appendix B.1.3.1: the names are compared with `alg` headers, so every accepted name is listed.
  renderVpFormat: (algorithms) => ({ alg_values: algorithms }),
  exchange: {
    renderEarlierVpFormats(algorithms) {
      const alg = earlierNames(algorithms);
      // Draft 20 §9.1: the format of the credential and the format of the presentation around it.
      return { jwt_vc_json: { alg }, jwt_vp_json: { alg } };
    },
    renderDescriptorFormat(algorithms, variant) {
      const alg = earlierNames(algorithms);
      if (variant === 'draft-20-redirect') return { jwt_vc_json: { alg } };
      // The registry of Presentation Exchange itself calls this format jwt_vc.
      return { jwt_vc_json: { alg }, jwt_vc: { alg } };
    },
    typeField: ({ meta }) => ({ path: ['$.vc.type', '$.type'], filter: typesFilter(meta.type_values) }),
    // `$.vc` is where a claim is in a JWT, `$` in the credential alone.
    claimPaths: (below) => [`$.vc${below}`, `$${below}`],
    submissionNames: ['jwt_vp', 'jwt_vp_json', 'jwt_vc', 'jwt_vc_json'],
    nestingFault: () => undefined,
  },
  vouchedBy: 'issuer',
  hasSelectiveDisclosure: false,
  isAlwaysBound: false,
  confirmsTransactionData: false,
  isKnownToHaip: false,
};

/** The simplest schema that says it: wallets are known that understand a single `contains` and nothing above it. */
function typesFilter(typeValues: readonly (readonly string[])[]): Record<string, unknown> {
  const alternatives = typeValues.map(distinguishingTypes);
  const [first = [BASE_TYPE], ...others] = alternatives;
  if (others.length === 0) return { type: 'array', ...containsAll(first) };
  if (alternatives.every(({ length }) => length === 1)) {
    return { type: 'array', contains: { enum: [...new Set(alternatives.flat())] } };
  }
  return { type: 'array', anyOf: alternatives.map(containsAll) };
}

/** Every credential has the base type, so it is asked for only where it is alone. */
function distinguishingTypes(types: readonly string[]): readonly string[] {
  const others = [...new Set(types)].filter((type) => type !== BASE_TYPE && type !== EXPANDED_BASE_TYPE);
  return others.length === 0 ? [BASE_TYPE] : others;
}

function containsAll(types: readonly string[]): Record<string, unknown> {
  const contains = types.map((type) => ({ contains: { const: type } }));
  const [only, ...others] = contains;
  return only !== undefined && others.length === 0 ? only : { allOf: contains };
}
