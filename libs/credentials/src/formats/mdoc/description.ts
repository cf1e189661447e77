import type { MdocConfiguration } from '@app/openid4vc';
import type { DescribedFormat } from '../description';

export interface GivenMdocType {
  readonly doctype?: string | null | undefined;
}

/** What is stored of a described mdoc. */
export interface MdocDescription {
  readonly format: 'mso_mdoc';
  readonly doctype: string;
}

export const describedMdoc = {
  id: 'mso_mdoc',
  dataModels: ['mdoc'],
  givenMembers: ['doctype'],
  impliedDataModel: () => undefined,
  faultOfType: () => undefined,
  completed: (given) => given,
  describe: ({ doctype }) => ({ format: 'mso_mdoc', doctype: doctype ?? '' }),
  configure: ({ doctype }) => ({ format: 'mso_mdoc', doctype }),
  reservedClaims: [],
  isTypeHosted: () => false,
  disclosureOf: () => undefined,
  issuerIdentifier: ({ sdJwtIdentifier }) => sdJwtIdentifier,
} as const satisfies DescribedFormat<MdocConfiguration, GivenMdocType, MdocDescription>;
