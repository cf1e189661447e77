import { mostCopies } from '@app/config';
import { anyObject, closed, is, text, texts } from '@app/http';
import type { KeyAttestationLevels } from '@app/openid4vc';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { type ClaimLabels, isClaimLabels } from './claim-labels';
import { longestPolicy } from './disclosure-policy';
import { isScope, scopeMessage, scopePattern } from './scope';

/** Which values an attestation of the wallet's keys has to have: one of each list. */
export class KeyAttestationsBody {
  @is.Optional('Where the key is kept, such as `iso_18045_high`.', is.TextList(1, 20, [1, 256]))
  readonly keyStorage?: string[];
  @is.Optional('How the person is recognised before the key is used.', is.TextList(1, 20, [1, 256]))
  readonly userAuthentication?: string[];
}

export const maxCopiesMember = { type: 'integer', minimum: 1, maximum: mostCopies } as const;

/** A number of copies of one credential. */
export const isMaxCopies = () =>
  is.Check(
    'isMaxCopies',
    `must be a whole number from 1 to ${mostCopies}`,
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostCopies,
  );

/** What a template says about how wallets ask for its credential. */
export class WalletTermsBody {
  @is.Optional(
    'What a wallet asks for the credential by in an authorization request: one word; several templates may share one. The ' +
      'id when absent.',
    is.Check('isScope', scopeMessage, isScope),
    is.Shown({ ...text, pattern: scopePattern, examples: ['student_card'] }),
  )
  readonly scope?: string | null;
  @is.Optional(
    'That an attester, whose certificate authority has the purpose `key-attester` in `SERVICE__TRUST__ANCHORS`, vouches for the ' +
      'keys of the wallet, and with which values; `{}`: with any. Not demanded when absent.',
    is.Nested(() => KeyAttestationsBody),
    is.Shown({ examples: [{ keyStorage: ['iso_18045_high'] }] }),
  )
  readonly keyAttestationsRequired?: KeyAttestationLevels | null;
  @is.Optional(
    'How many copies of one credential a wallet gets over its life, each for another key; what `SERVICE__ISSUANCE__MAX_COPIES` ' +
      'says when absent.',
    isMaxCopies(),
    is.Shown(maxCopiesMember),
  )
  readonly maxCopies?: number | null;
  @is.Optional(
    'Whom wallets let the person show the credential to (CIR (EU) 2024/2979, annex III): published as `embedded_disclosure_policy` of its ' +
      '`credential_metadata`. With `policy_uri`, a policy that wallets know, or `policy_type`: `no_policy`, `authorized_rp_only` with ' +
      `\`authorized_parties\`, \`specific_root_of_trust\` with \`trusted_roots\`; at most ${longestPolicy} bytes. PIDs have none. ` +
      'Wallets keep the policy that a credential was issued with: after a change, revoke those that were issued before.',
    is.Check('isPolicy', 'must be a JSON object such as { "policy_type": "no_policy" }', isJsonObject),
    is.Shown({
      ...anyObject,
      minProperties: 1,
      examples: [{ policy_type: 'authorized_rp_only', authorized_parties: [{ identifier: 'VATDE-123456789' }] }],
    }),
  )
  readonly disclosurePolicy?: JsonObject | null;
  @isClaimLabels
  readonly claimLabels?: ClaimLabels | null;
}

export const keyAttestationsMember = closed({ 'keyStorage?': texts, 'userAuthentication?': texts });
