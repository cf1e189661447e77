import { is, text } from '@app/contract';
import { isScope, scopeMessage } from './scope';

/** What a template says about how wallets ask for its credential. */
export class WalletTermsBody {
  @is.Optional(
    'What a wallet asks for the credential by in an authorization request: one word; several templates may share one. The ' +
      'id when absent.',
    is.Check('isScope', scopeMessage, isScope),
    is.Shown({ ...text, examples: ['student_card'] }),
  )
  readonly scope?: string | null;
}
