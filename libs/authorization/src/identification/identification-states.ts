import { Authenticator, SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AuthorizationRequests, type OpenAuthorization } from '../authorization-requests';
import { AuthorizationSecrets } from '../authorization-secrets';
import { type PageSession, PageSessions } from '../authorize/page-sessions';
import { type Prompt, prompts } from '../authorize/identification-method';
import type { LoginBinding } from './provider-client';

const purpose = 'identification-state';
/** Bytes. */
const hashLength = 32;
/** Makes any two of a browser differ. Its first byte is the prompt: 0 for none, else its place in `prompts`, from 1. */
const serialLength = 16;

interface Begun {
  readonly authorization: OpenAuthorization;
  readonly session: PageSession;
  /** With which the login provider was asked. */
  readonly again: Prompt | undefined;
}

/**
 * The `state` of a login at the OpenID provider, or of a presentation. It names the authorization and is bound to the browser
 * that began; what else the login or presentation needs follows from both and a key. So nothing is stored, and any replica can go on.
 */
@Injectable()
export class IdentificationStates {
  constructor(
    private readonly tokens: SealedTokens,
    private readonly authenticator: Authenticator,
    private readonly secrets: AuthorizationSecrets,
    private readonly requests: AuthorizationRequests,
    private readonly sessions: PageSessions,
  ) {}

  /** @returns another one each time */
  issue(authorization: OpenAuthorization, session: PageSession, again?: Prompt): string {
    const prompt = again === undefined ? 0 : prompts.indexOf(again) + 1;
    const serial = [Buffer.from([prompt]), randomBytes(serialLength - 1)];
    const body = Buffer.concat([this.secrets.handles.hashOf(authorization), ...serial]);
    return this.tokens.issue(purpose, body, new Date(authorization.completableUntil), session.name);
  }

  /** Which authorization it was begun for, if this browser has begun it. */
  async begunBy(request: IncomingMessage, state: string): Promise<Begun | 'unknown' | 'other-browser'> {
    const bytes = this.tokens.contentOf(purpose, state);
    // Whether the state is genuine shows once the session is known that it is bound to.
    const hash = bytes && bytes.length > hashLength ? bytes.subarray(0, hashLength) : undefined;
    const authorization = hash && (await this.requests.findByHash(hash));
    if (!authorization) return 'unknown';
    const session = this.sessions.find(request, authorization);
    if (!session) return 'other-browser';
    const length = hashLength + serialLength;
    const read = this.tokens.read(purpose, state, length, authorization.now, session.name);
    if (typeof read === 'string') return 'other-browser';
    return { authorization, session, again: prompts[(read.body[hashLength] ?? 0) - 1] };
  }

  /** The id of the presentation request of a browser; nobody can tell it before. */
  presentationOf({ authorizationId, handleSalt }: OpenAuthorization, session: PageSession): string {
    const mac = this.authenticator.macOfSalt('identifying-presentation', handleSalt, session.name);
    return `authorization-${authorizationId}-${mac.toString('base64url')}`;
  }

  bindingOf(state: string, { handleSalt }: OpenAuthorization): LoginBinding {
    return {
      state,
      nonce: this.authenticator.macOfSalt('login-nonce', handleSalt, state).toString('base64url'),
      verifier: this.authenticator.macOfSalt('login-verifier', handleSalt, state).toString('base64url'),
    };
  }
}
