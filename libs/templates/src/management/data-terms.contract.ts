import { anyObject, is, text } from '@app/http';
import { badgeTypes } from '@app/credentials';
import { isJsonObject } from '@app/primitives/json';
import { type DcqlQuery, dcqlQuerySchema } from '@app/openid4vc';
import { type ClaimSources, mostClaims, reservedNames } from '../data-sources/claim-sources';
import { type DataOrigin, dataOrigins, type Identification, identifications } from '../data-sources/data-origin';
import { keyAttestationsMember, maxCopiesMember, WalletTermsBody } from '../configuration/wallet-terms.contract';

const badgeModel = 'open-badges-3.0';

const presentationExample = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
    },
  ],
};

/** What a template says about where the data of its credentials comes from. */
export class DataTermsBody extends WalletTermsBody {
  @is.Optional(
    'How it becomes known who the person is when a wallet asks by authorization code: the login provider (`openid`), a ' +
      'credential that they present (`presentation`), or the portal, which makes an offer. `development` is a form that believes anything, for that profile only. ' +
      'When absent: `presentation` with that member; else what the sources of the claims need, the portal, in the development profile its form.',
    is.OneOf(identifications),
  )
  readonly identification?: Identification | null;
  @is.Optional(
    'What the person presents, by a DCQL query (OpenID4VP 1.0, section 6) for one credential that is bound to a key. Its issuer ' +
      'has to be trusted (`SERVICE__VERIFICATION__TRUSTED_ISSUERS`, `SERVICE__TRUST__ANCHORS`).',
    is.Check('isPresentation', 'must be a DCQL query such as { "credentials": [...] }', isJsonObject),
    is.Shown({ ...dcqlQuerySchema, examples: [presentationExample] }),
  )
  readonly presentation?: DcqlQuery | null;
  @is.Optional(
    'Where the data comes from: `provided` by the portal before, `mapped` from what is known of the person (`claims`), or asked ' +
      'for by `webhook` at the first credential request. Wallets can ask by themselves for mapped data and by webhook. When absent: ' +
      '`mapped` with `claims`, else `provided`; in the development profile wallets then get claims of the development login.',
    is.OneOf(dataOrigins),
  )
  readonly data?: DataOrigin | null;
  @is.Optional(
    'Of mapped data: for each claim, by JSON Pointer, its source: `login:` or `presentation:` and a JSON Pointer.',
    is.Check('isMapping', 'must be a JSON object such as { "/given_name": "login:/given_name" }', isJsonObject),
    is.Shown({
      ...anyObject,
      minProperties: 1,
      maxProperties: mostClaims,
      propertyNames: { pattern: '^(/([^~/]|~[01])*)+$', not: { pattern: reservedNames } },
      additionalProperties: { type: 'string', pattern: '^(login|presentation):(/([^~/]|~[01])*)+$' },
      examples: [{ '/given_name': 'login:/given_name' }, { '/given_name': 'presentation:/given_name' }],
    }),
  )
  readonly claims?: ClaimSources | null;
  @is.Optional(
    '`manual`: each credential waits until `POST /v0/credentials/{credentialId}/approve`. For mapped data and webhooks.',
    is.OneOf(['manual']),
  )
  readonly approval?: 'manual' | null;
}

const where = (properties: Readonly<Record<string, unknown>>) => ({ properties });
const has = (member: string, value: unknown) => ({ required: [member], ...where({ [member]: value }) });
const allFrom = (source: string) => ({
  type: 'object',
  additionalProperties: { type: 'string', pattern: `^${source}:` },
});
const badgeType = { enum: badgeTypes };
const isBadge = {
  anyOf: [has('dataModel', { const: badgeModel }), has('type', { type: 'array', contains: badgeType })],
};
const others = (all: readonly string[], ...those: readonly string[]) => all.filter((one) => !those.includes(one));

/** What is presented identifies one person. */
export const isOfOnePerson = where({
  presentation: where({
    credentials: {
      maxItems: 1,
      items: {
        required: ['claims'],
        ...where({ multiple: { const: false }, require_cryptographic_holder_binding: { const: true } }),
      },
    },
    credential_sets: false,
  }),
});

/**
 * What these members have to do with each other in a new template, as JSON Schema by member. As a list of conditions it would
 * be more than programs that make values from it can carry out.
 */
export const rulesOfData = {
  data: {
    anyOf: [
      where({ data: { enum: others(dataOrigins, 'mapped', 'webhook') } }),
      { required: ['claims'], ...where({ data: { const: 'mapped' } }) },
      { ...where({ data: { const: 'webhook' } }), not: isBadge },
    ],
  },
  claims: {
    ...where({ data: { const: 'mapped' } }),
    not: isBadge,
    anyOf: [
      where({ claims: allFrom('login'), identification: { enum: ['openid', 'development'] } }),
      { required: ['presentation'], ...where({ claims: allFrom('presentation') }) },
    ],
  },
  presentation: {
    allOf: [isOfOnePerson, where({ identification: { const: 'presentation' }, claims: allFrom('presentation') })],
  },
  identification: {
    anyOf: [
      where({ identification: { enum: others(identifications, 'presentation') } }),
      { required: ['presentation'] },
    ],
  },
  approval: { anyOf: [{ required: ['claims'] }, has('data', { const: 'webhook' })] },
  type: {
    anyOf: [
      where({ type: { type: 'array', contains: badgeType }, dataModel: { const: badgeModel } }),
      where({ type: { type: 'array', items: { not: badgeType } }, dataModel: { not: { const: badgeModel } } }),
    ],
  },
};

/** How wallets ask for it, and where the data comes from. */
export const dataMembers = {
  'keyAttestationsRequired?': keyAttestationsMember,
  'maxCopies?': maxCopiesMember,
  'disclosurePolicy?': { ...anyObject, description: 'Whom wallets let the person show the credential to.' },
  'identification?': { enum: identifications },
  'presentation?': { ...anyObject, description: 'What the person presents, by DCQL.' },
  'data?': { enum: dataOrigins },
  'claims?': { ...anyObject, additionalProperties: text },
  'approval?': { const: 'manual' },
} as const;
