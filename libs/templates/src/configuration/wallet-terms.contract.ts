import { mostCopies } from '@app/config';
import { closed, is, text, texts } from '@app/http';
import type { KeyAttestationLevels } from '@app/openid4vc';
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
}

export const keyAttestationsMember = closed({ 'keyStorage?': texts, 'userAuthentication?': texts });
