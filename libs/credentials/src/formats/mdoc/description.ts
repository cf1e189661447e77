import type { MdocConfiguration } from '@app/openid4vc';
import type { DescribedFormat } from '../description';
import { faultsOfTypes } from './elements';

export interface GivenMdocType {
  readonly doctype?: string | null | undefined;
  readonly expectedUpdate?: string | null | undefined;
}

/** What is stored of a described mdoc. */
export interface MdocDescription {
  readonly format: 'mso_mdoc';
  readonly doctype: string;
  readonly expectedUpdate?: string;
}

export const describedMdoc = {
  id: 'mso_mdoc',
  dataModels: ['mdoc'],
  givenMembers: ['doctype', 'expectedUpdate'],
  givenRules: {
    required: ['doctype'],
    properties: { doctype: { type: 'string' }, expiration: { not: { const: 'never' } } },
  },
  faultsOfGiven: ({ doctype, expiration }) => [
    ...(typeof doctype === 'string' && doctype !== ''
      ? []
      : [{ pointer: '/doctype', message: 'must name the type of the document, such as org.iso.18013.5.1.mDL' }]),
    ...(expiration === 'never'
      ? [{ pointer: '/expiration', message: 'must be a duration or a date-time: an mdoc always expires' }]
      : []),
  ],
  faultsOfSchema: faultsOfTypes,
  stepsToClaim: 2,
  impliedDataModel: () => undefined,
  faultOfType: () => undefined,
  completed: (given) => given,
  describe: ({ doctype, expectedUpdate }) => ({
    format: 'mso_mdoc',
    doctype: doctype ?? '',
    ...(typeof expectedUpdate === 'string' && { expectedUpdate }),
  }),
  configure: ({ doctype, expectedUpdate }) => ({
    format: 'mso_mdoc',
    doctype,
    ...(expectedUpdate !== undefined && { expectedUpdate }),
  }),
  reservedClaims: [],
  isTypeHosted: () => false,
  disclosureOf: () => undefined,
  // It is in no mdoc: what signs is believed by its certificate.
  issuerIdentifier: () => 'https',
} as const satisfies DescribedFormat<MdocConfiguration, GivenMdocType, MdocDescription>;
