import type { HttpReply } from '@app/web';
import type { IncomingMessage } from 'node:http';
import type { OpenAuthorization } from '../authorization-requests';
import type { AskedPresentation } from './identification';
import type { PageForm } from './authorize-page';
import type { PageSession } from './page-sessions';

/** The page of an authorization in one browser. */
export interface AuthorizationPage {
  readonly request: IncomingMessage;
  readonly authorization: OpenAuthorization;
  readonly session: PageSession;
  /** The address of the page itself; it goes on by what has happened since. */
  readonly address: string;
  /** As the person chose it in the address. */
  readonly language: string | null;
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
  begin(page: AuthorizationPage, presentation?: AskedPresentation): Promise<HttpReply>;
}
