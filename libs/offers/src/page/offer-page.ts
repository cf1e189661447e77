import type { CredentialDisplay } from '@app/openid4vc';
import {
  type CardColours,
  cardClass,
  filled,
  type Html,
  html,
  inLanguage,
  type LinkForm,
  type OfferPageState,
  type ShownPage,
  type Visit,
  walletLink,
} from '@app/pages';
import type { TransactionCode } from '../offer/offer';
import type { OfferGrant } from '../offer/offer-grants';
import { isFinalState, isOnOffer } from './offer-page-state';

export interface PromisedCredential {
  readonly configurationId: string;
  /** Absent without any, and when the configuration no longer exists. */
  readonly display: readonly CredentialDisplay[] | undefined;
}

interface OfferedOnPage {
  readonly state: OfferPageState;
  readonly promised: readonly PromisedCredential[];
  readonly code:
    (Pick<TransactionCode, 'inputMode' | 'length'> & { readonly triesLeft: number | undefined }) | undefined;
  readonly grants: readonly OfferGrant[];
  readonly forms: readonly [LinkForm, ...LinkForm[]];
  /** Whether a picture was uploaded here. A logo elsewhere is not loaded: the server there would learn who looks at the offer. */
  readonly isOwnPicture: (address: string) => boolean;
}

/** The page of an offer in one of its states. Nothing on it says whose credential it is. */
export function shownOffer(
  visit: Visit,
  { state, promised, code, grants, forms, isOwnPicture }: OfferedOnPage,
): ShownPage {
  const { texts, language } = visit;
  const shown = promised.map(({ configurationId, display }) => {
    const entry = inLanguage(display, language);
    const logo = entry?.logo;
    const isShown = logo && (logo.uri.startsWith('data:image/') || isOwnPicture(logo.uri));
    return {
      entry,
      name: entry?.name ?? configurationId,
      card: entry && colouredCard(entry),
      logo: isShown ? logo : undefined,
    };
  });
  const contents = html`<h2>${texts.offer.contents}</h2>
<ul class="cards">
${shown.map(credentialCard)}
</ul>`;
  const isWrong = isOnOffer(state) && code?.triesLeft !== undefined;
  const { title, advice } = texts.offer.states[state];
  return {
    state: markedState(state, code?.triesLeft),
    text: { title, advice: isWrong ? filled(texts.offer.wrongCode, { tries: code.triesLeft }) : advice },
    content: html`${isOnOffer(state) ? walletLink(visit, forms) : undefined}
${isOnOffer(state) && code ? codeHint(visit, code, grants) : undefined}
${shown.length > 0 ? contents : undefined}`,
    isLive: !isFinalState(state),
    cards: shown.flatMap(({ card }) => card ?? []),
  };
}

/** The state by which an open page follows: each wrong transaction code is news. @param triesLeft absent before a wrong one */
export function markedState(state: OfferPageState, triesLeft: number | undefined): string {
  return triesLeft !== undefined && isOnOffer(state) ? `${state}_${triesLeft}` : state;
}

interface ShownCredential {
  readonly entry: CredentialDisplay | undefined;
  readonly name: string;
  /** The class of its colours. */
  readonly card: string | undefined;
  /** One that the page can load. */
  readonly logo: CredentialDisplay['logo'] | undefined;
}

function credentialCard({ entry, name, card, logo }: ShownCredential): Html {
  const { description } = entry ?? {};
  const locale = entry?.locale === undefined ? undefined : html` lang="${entry.locale}"`;
  return html`<li class="card${card === undefined ? '' : ` ${card}`}"${locale}>
${logo ? html`<img src="${logo.uri}" alt="${logo.alt_text ?? ''}">` : undefined}
<div>
<p class="name">${name}</p>
${description === undefined ? undefined : html`<p>${description}</p>`}
</div>
</li>`;
}

function colouredCard({ background_color: background, text_color: text }: CredentialDisplay): string | undefined {
  const colours: CardColours | undefined = background === undefined ? undefined : { background, text };
  return colours && cardClass(colours);
}

/** How long the code is, where to enter it, and that it comes another way; it is never on the page. */
function codeHint(
  { texts: { offer } }: Visit,
  { inputMode, length }: NonNullable<OfferedOnPage['code']>,
  grants: readonly OfferGrant[],
): Html {
  const inWallet = inputMode === 'numeric' ? offer.digits : offer.characters;
  const hint = grants.includes('authorization_code') ? offer.onOpenedPage : inWallet;
  return html`<p class="note">${filled(hint, { length })}</p>`;
}
