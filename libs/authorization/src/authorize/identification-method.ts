import type { HttpReply } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import type { IncomingMessage } from 'node:http';
import type { OpenAuthorization } from '../authorization-requests';
import type { AskedPresentation } from './identification';
import type { Mismatch } from '../identification/identification-failure';
import type { PageForm } from './authorize-page';
import type { PageSession } from './page-sessions';

/** How a login provider is asked to let somebody else in (OpenID Connect Core §3.1.2.1), the first thing to try first. */
export const prompts = ['login', 'select_account'] as const;
export type Prompt = (typeof prompts)[number];

export function promptIn(text: string | null): Prompt | undefined {
  return prompts.find((one) => one === text);
}

/** The page of an authorization in one browser. */
export interface AuthorizationPage {
  readonly request: IncomingMessage;
  readonly authorization: OpenAuthorization;
  readonly session: PageSession;
  /** The address of the page itself; it goes on by what has happened since. */
  readonly address: string;
  /** As the person chose it in the address. */
  readonly language: string | null;
  /** How the person was asked to log in as somebody else, when they were. */
  readonly again: Prompt | undefined;
  /** Somebody was identified here who may not have what was asked for. */
  readonly mismatch: Mismatch | undefined;
  /** A form of this page. @param action `login` or `decision` */
  form(action: 'login' | 'decision'): PageForm;
}

/** One way to find out who the person is. */
export interface IdentificationMethod {
  /**
   * The page, or the way to where the person shows who they are. They come back to the page's address. Throws
   * `IdentificationFailure`.
   * @param presentation what they present, where the templates say it
   */
  begin(page: AuthorizationPage, presentation?: AskedPresentation): Awaitable<HttpReply>;
}
