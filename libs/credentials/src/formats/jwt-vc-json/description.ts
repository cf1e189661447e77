import type { CredentialConfiguration } from '@app/openid4vc';
import type { DescribedFormat } from '../description';

export type JwtVcJsonConfiguration = Extract<CredentialConfiguration, { readonly format: 'jwt_vc_json' }>;

export interface GivenW3cType {
  readonly type?: readonly string[] | null | undefined;
}

/** What is stored of a described W3C credential. */
export interface JwtVcJsonDescription {
  readonly format: 'jwt_vc_json';
  readonly types?: readonly string[];
}

const BASE_TYPE = 'VerifiableCredential';
const DATA_MODELS = ['w3c-vc-1.1', 'open-badges-3.0'] as const;

export type W3cDataModel = (typeof DATA_MODELS)[number];

// Open Badges 3.0 knows a badge by this type.
const USUAL_TYPES: Readonly<Record<string, readonly string[]>> = {
  'open-badges-3.0': [BASE_TYPE, 'OpenBadgeCredential'],
};

export const describedJwtVcJson = {
  id: 'jwt_vc_json',
  dataModels: DATA_MODELS,
  givenMembers: ['type'],
  completed: ({ type, ...others }) => ({
    ...others,
    type: type?.includes(BASE_TYPE) === false ? [BASE_TYPE, ...type] : type,
  }),
  describe: ({ type }) => ({ format: 'jwt_vc_json', ...(type && { types: type }) }),
  configure: ({ types, dataModel }) => ({
    format: 'jwt_vc_json',
    types: types ?? USUAL_TYPES[dataModel] ?? [BASE_TYPE],
  }),
  reservedClaims: [],
  isTypeHosted: () => false,
  disclosureOf: () => undefined,
  // Verifiers of W3C credentials resolve DIDs.
  issuerIdentifier: () => 'did',
} as const satisfies DescribedFormat<JwtVcJsonConfiguration, GivenW3cType, JwtVcJsonDescription>;
