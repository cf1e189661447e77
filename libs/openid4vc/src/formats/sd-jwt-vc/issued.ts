import { type ConfigurationMembers } from '../configuration-members';
import { BINDING_METHODS } from '../../wire/binding-methods';
import { namesOf } from '../../wire/algorithm-names';
import { renderTypeMetadata } from './type-metadata';
import { type IssuedFormat, type NamedByType } from '../credential-format';
import { readTypeName } from '../../wire/wire-name';
import { member } from '../../wire/wire-object';

/** An SD-JWT VC (OpenID4VCI 1.0 appendix A.3). */
export interface SdJwtVcConfiguration extends ConfigurationMembers {
  readonly format: 'dc+sd-jwt';
  readonly vct: string;
  /** JSON Pointers of the claims that are selectively disclosable; absent means every top-level claim. */
  readonly selectivelyDisclosable?: readonly string[];
}

export interface NamedSdJwtVc extends NamedByType {
  readonly format: 'vc+sd-jwt' | 'dc+sd-jwt';
  readonly vct: string;
}

export const issuedSdJwtVc: IssuedFormat<SdJwtVcConfiguration, NamedSdJwtVc> = {
  typesOf: ({ vct }) => [vct],
  typesInMetadata: (configuration) => [member(configuration, 'vct')],
  faultsOfType: ({ vct }) => (vct === '' ? ['vct is missing'] : []),
  renderType: ({ vct }) => ({ vct }),
  renderEarlierType: ({ vct }, claims) => ({ vct, ...(claims && { claims }) }),
  bindingMethods: BINDING_METHODS,
  signingAlgorithmValues: namesOf,
  renderTypeMetadata,
  pathToClaims: [],
  readNamed: (format, body) => ({ by: 'format', format, vct: readTypeName(body, 'vct', format, 'credential') }),
  isNamedBy: (named, { vct }) => named.vct === vct,
  typeText: ({ vct }) => vct,
};
