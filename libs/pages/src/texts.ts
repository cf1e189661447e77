/** What a page says about a state: what it is, and what the person does next. */
export interface StateText {
  readonly title: string;
  readonly advice: string;
}

type Words<Name extends string> = Readonly<Record<Name, string>>;
type States<Name extends string> = Readonly<Record<Name, StateText>>;

/** The states of an offer as the person sees them. */
export type OfferPageState =
  | 'waiting'
  | 'ready'
  | 'fetched'
  | 'redeemed'
  | 'deferred'
  | 'issued'
  | 'accepted'
  | 'refused'
  | 'denied'
  | 'withdrawn'
  | 'locked'
  | 'offline'
  | 'expired'
  | 'revoked'
  | 'suspended';

/** The states of an authorization request as the person sees them. */
export type RequestPageState =
  'pending' | 'retrieved' | 'rejected' | 'declined' | 'withheld' | 'verified' | 'abandoned' | 'expired';

/** The steps of a page on which a person allows a wallet to get credentials. */
export type AuthorizePageState =
  | 'login'
  | 'presentation'
  | 'consent'
  | 'unexpected'
  | 'unproven'
  | 'offer-needed'
  | 'apart'
  | 'not-issued'
  | 'ended'
  | 'unpushed'
  | 'other-browser';

/** The forms of a link for wallets beside the usual one. */
export type WalletForm = 'haip' | 'final' | 'draft-20' | 'draft-20-redirect' | 'siopv2';

/** Claims that many credentials have under the same names. */
export type KnownClaim =
  | 'given_name'
  | 'family_name'
  | 'name'
  | 'birthdate'
  | 'birthplace'
  | 'nationality'
  | 'email'
  | 'phone'
  | 'address'
  | 'street'
  | 'postal_code'
  | 'locality'
  | 'country'
  | 'portrait'
  | 'sex'
  | 'document_number'
  | 'expiry_date'
  | 'issuing_authority'
  | 'issuing_country';

/** Everything that pages say, in one language. `{name}` in a text is replaced; see {@link filled}. */
export interface Texts {
  readonly page: Words<
    | 'languages'
    | 'scan'
    | 'codeImage'
    | 'openWallet'
    | 'otherWallets'
    | 'notOpening'
    | 'otherForms'
    | 'usualForm'
    | 'copy'
    | 'tooLong'
    | 'sameDevice'
    | 'checkAgain'
    | 'noWallet'
    | 'noWalletHelp'
    | 'findWallet'
    | 'contact'
  > & { readonly forms: Words<WalletForm> };
  readonly notices: States<'invalid' | 'tooMany' | 'unavailable'>;
  readonly request: Words<
    | 'contents'
    | 'confirmation'
    | 'reason'
    | 'identity'
    | 'identityMeaning'
    | 'anyCredential'
    | 'sentWhole'
    | 'noClaims'
    | 'ageOver'
    | 'optional'
    | 'oneOf'
    | 'askBrowser'
    | 'browserFailed'
    | 'afterwards'
    | 'afterwardsHere'
    | 'needsScript'
    | 'technicalName'
    | 'goBack'
  > & {
    readonly states: States<RequestPageState>;
    readonly returns: States<'returning' | 'refused'>;
    readonly claims: Words<KnownClaim>;
  };
  readonly authorize: Words<
    | 'username'
    | 'password'
    | 'login'
    | 'asker'
    | 'contents'
    | 'data'
    | 'dataLater'
    | 'approve'
    | 'reject'
    | 'goBack'
    | 'transactionCode'
    | 'transactionCodeHint'
    | 'transactionCodeMissing'
    | 'transactionCodeWrong'
    | 'notYou'
    | 'otherLogin'
    | 'otherCredential'
  > & { readonly states: States<AuthorizePageState> };
  readonly offer: Words<'contents' | 'digits' | 'characters' | 'onOpenedPage' | 'wrongCode'> & {
    readonly states: States<OfferPageState>;
  };
}

/** A text with its `{name}` replaced. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
