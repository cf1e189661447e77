import { clientAddressOf } from '@app/http';
import type { IncomingMessage } from 'node:http';
import { type Language, preferredLanguage } from './languages';
import { type Texts, textsIn } from './texts';

/** Who opens a page, and how they want to see it. */
export interface Visit {
  readonly language: Language;
  readonly texts: Texts;
  /** The address of the page on its origin, without its query. */
  readonly address: string;
  readonly query: URLSearchParams;
  /** The page answers a form, so that it cannot be opened again, in no language. */
  readonly isAnswer: boolean;
  /** The form of the link that was chosen; from the address, so it can be anything. */
  readonly form: string | null;
  /** The network address of the client. */
  readonly client: string;
  /** Whom people can ask, and where they learn how to get a wallet. */
  readonly help: Help;
}

export interface Help {
  /** The name of the issuer in the language of the page. */
  readonly issuer: string;
  /** Absent when the settings name none. */
  readonly contact: Contact | undefined;
  /** The address of a page; absent when the settings name none. */
  readonly walletHelp: string | undefined;
}

export interface Contact {
  readonly link: string;
  /** What people write down, an e-mail address or a phone number; a web page has nothing of that. */
  readonly shown: string | undefined;
}

/**
 * @param base the path of the public URL, empty or beginning with a slash
 * @param helpIn the help in a language
 */
export function visitOf(request: IncomingMessage, base: string, helpIn: (language: Language) => Help): Visit {
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const parameters = new URLSearchParams(query);
  const language = preferredLanguage(request.headers['accept-language'], parameters.get('language'));
  return {
    language,
    texts: textsIn(language),
    address: base + path.replace(/\/$/, ''),
    query: parameters,
    isAnswer: request.method === 'POST',
    form: parameters.get('form'),
    client: clientAddressOf(request),
    help: helpIn(language),
  };
}
