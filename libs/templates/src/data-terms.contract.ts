import { anyObject, is, text } from '@app/contract';
import { isJsonObject } from '@app/json';
import type { ClaimSources } from './claim-sources';
import { type DataOrigin, dataOrigins, type Identification, identifications } from './data-origin';
import { keyAttestationsMember, WalletTermsBody } from './wallet-terms.contract';

/** What a template says about where the data of its credentials comes from. */
export class DataTermsBody extends WalletTermsBody {
  @is.Optional(
    'How it becomes known who the person is when a wallet asks by authorization code: the login provider (`openid`), a ' +
      'presentation, or the portal, which makes an offer. `development` is a form that believes anything, for that profile only. ' +
      'When absent: what the sources of the claims need; else the portal, in the development profile its form.',
    is.OneOf(identifications),
  )
  readonly identification?: Identification | null;
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
    is.Shown({ ...anyObject, additionalProperties: text, examples: [{ '/given_name': 'login:/given_name' }] }),
  )
  readonly claims?: ClaimSources | null;
  @is.Optional(
    '`manual`: each credential waits until `POST /v0/credentials/{credentialId}/approve`. For mapped data and webhooks.',
    is.OneOf(['manual']),
  )
  readonly approval?: 'manual' | null;
}

/** How wallets ask for it, and where the data comes from. */
export const dataMembers = {
  'keyAttestationsRequired?': keyAttestationsMember,
  'identification?': { enum: identifications },
  'data?': { enum: dataOrigins },
  'claims?': { ...anyObject, additionalProperties: text },
  'approval?': { const: 'manual' },
} as const;
