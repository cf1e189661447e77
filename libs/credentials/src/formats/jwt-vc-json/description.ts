import type { JwtVcJsonConfiguration } from '@app/openid4vc';
import type { DescribedFormat } from '../description';

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

// Open Badges 3.0 (appendix B.1, AchievementCredential) knows a badge by either of them.
export const badgeTypes = ['OpenBadgeCredential', 'AchievementCredential'] as const;
const USUAL_TYPES: Readonly<Record<string, readonly string[]>> = {
  'open-badges-3.0': [BASE_TYPE, 'OpenBadgeCredential'],
};

function badgeTypeIn(type: unknown): string | undefined {
  return Array.isArray(type) ? badgeTypes.find((one) => type.includes(one)) : undefined;
}

export const describedJwtVcJson = {
  id: 'jwt_vc_json',
  dataModels: DATA_MODELS,
  givenMembers: ['type'],
  faultsOfGiven: () => [],
  faultsOfSchema: () => [],
  stepsToClaim: 1,
  impliedDataModel: (type) => (badgeTypeIn(type) === undefined ? undefined : 'open-badges-3.0'),
  faultOfType(type, dataModel) {
    const badgeType = badgeTypeIn(type);
    if (dataModel !== 'open-badges-3.0') {
      return badgeType && `holds ${badgeType}, so that dataModel must be open-badges-3.0 or left out`;
    }
    if (badgeType || !Array.isArray(type)) return undefined;
    return `must hold ${badgeTypes.join(' or ')} with the data model open-badges-3.0`;
  },
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
