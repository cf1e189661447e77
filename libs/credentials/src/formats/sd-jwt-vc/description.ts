import type { SdJwtVcConfiguration } from '@app/openid4vc';
import type { DescribedFormat } from '../description';
import { alwaysVisible } from './disclosure-pointers';

export interface GivenSdJwtVcType {
  readonly vct?: string | null | undefined;
  readonly selectivelyDisclosable?: readonly string[] | null | undefined;
}

/** What is stored of a described SD-JWT VC. */
export interface SdJwtVcDescription {
  readonly format: 'dc+sd-jwt';
  readonly vct?: string;
  readonly selectivelyDisclosable?: readonly string[];
}

export const describedSdJwtVc = {
  id: 'dc+sd-jwt',
  dataModels: ['sd-jwt-vc'],
  givenMembers: ['vct', 'selectivelyDisclosable'],
  faultsOfGiven: () => [],
  faultsOfSchema: () => [],
  stepsToClaim: 1,
  impliedDataModel: () => undefined,
  faultOfType: () => undefined,
  completed: (given) => given,
  describe: ({ vct, selectivelyDisclosable }) => ({
    format: 'dc+sd-jwt',
    ...(typeof vct === 'string' && { vct }),
    ...(selectivelyDisclosable && { selectivelyDisclosable }),
  }),
  configure: ({ vct, selectivelyDisclosable }, defaults) => ({
    format: 'dc+sd-jwt',
    vct: vct ?? defaults.vct,
    ...(selectivelyDisclosable && { selectivelyDisclosable }),
  }),
  reservedClaims: [...alwaysVisible, 'iat'],
  isTypeHosted: ({ vct }) => vct === undefined,
  disclosureOf: ({ selectivelyDisclosable }) => selectivelyDisclosable && [...new Set(selectivelyDisclosable)].sort(),
  issuerIdentifier: ({ sdJwtIdentifier }) => sdJwtIdentifier,
} as const satisfies DescribedFormat<SdJwtVcConfiguration, GivenSdJwtVcType, SdJwtVcDescription>;
