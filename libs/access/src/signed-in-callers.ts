import type { Principal, Scope } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

type Asking = Pick<IncomingMessage, 'headers' | 'method'>;

/** Who has signed in with a browser. */
export interface SessionDirectory {
  /** Whether a request comes with a session, of whatever worth. */
  hasSession(request: Asking): boolean;
  /** Whose session it is. Throws the problem of one that is not accepted. */
  callerOf(request: Asking): Awaitable<Principal>;
  /** Whether a person may do something with a template, as far as is known of them; `undefined` when nothing is. */
  allows(subject: string, scope: Scope, templateId: string): Promise<boolean | undefined>;
}

/** Whoever knows the sessions of this application; none where nobody signs in. */
@Injectable()
export class SignedInCallers {
  private directory: SessionDirectory | undefined;

  /** Says from now on who has signed in. */
  knownBy(directory: SessionDirectory): void {
    this.directory = directory;
  }

  /** The directory, when a request comes with a session. */
  in(request: Asking): SessionDirectory | undefined {
    return this.directory?.hasSession(request) ? this.directory : undefined;
  }

  /** As that of a directory. */
  allows(subject: string, scope: Scope, templateId: string): Promise<boolean | undefined> {
    return this.directory?.allows(subject, scope, templateId) ?? Promise.resolve(undefined);
  }
}
