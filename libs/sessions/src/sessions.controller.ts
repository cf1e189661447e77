import {
  type Answer,
  currentPrincipal,
  HttpReply,
  Implements,
  type Input,
  type Principal,
  Resource,
  scopes,
} from '@app/http';
import { Problem } from '@app/primitives/problems';
import { ConsoleAddress } from './console-address';
import { ConsoleProvider } from './console-provider';
import type { StoredSession } from './session';
import { session$, sessions } from './sessions.contract';
import { endsAt, type OpenSession, Sessions } from './sessions';

@Resource(session$)
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly provider: ConsoleProvider,
    private readonly address: ConsoleAddress,
  ) {}

  @Implements(session$.get)
  get(): Promise<Answer<typeof session$.get>> {
    const open = this.sessions.current();
    return Promise.resolve(viewOf(currentPrincipal(), open?.session, open?.now));
  }

  @Implements(session$.extend)
  async extend(): Promise<Answer<typeof session$.extend>> {
    const session = await this.sessions.extend(this.open());
    if (!session) throw new Problem('unauthorized', 'The session of the console has ended: sign in again.');
    return viewOf(currentPrincipal(), session, session.now);
  }

  @Implements(session$.signOut)
  async signOut({ body }: Input<typeof session$.signOut>): Promise<HttpReply> {
    const { session } = this.open();
    if (body.everywhere === true) await this.sessions.endAllOf(session.subject);
    else await this.sessions.end(session);
    const signOutUrl = await this.provider.signOutAddress(this.address.page()).catch(() => undefined);
    return new HttpReply(200, { signOutUrl: signOutUrl ?? null }, this.sessions.forgotten());
  }

  private open(): OpenSession {
    const open = this.sessions.current();
    if (!open)
      throw new Problem(
        'conflict',
        'Keys and tokens have no session: it is for people who have signed in to the console.',
      );
    return open;
  }
}

@Resource(sessions)
export class SessionsController {
  constructor(private readonly sessions: Sessions) {}

  @Implements(sessions.list)
  async list(): Promise<Answer<typeof sessions.list>> {
    const items = (await this.sessions.list()).map((session) => ({
      subject: session.subject,
      roles: session.roles,
      startedAt: session.createdAt.toISOString(),
      endsAt: endsAt(session).toISOString(),
    }));
    return { items };
  }

  @Implements(sessions.endAll)
  async endAll({ body }: Input<typeof sessions.endAll>): Promise<Answer<typeof sessions.endAll>> {
    return { ended: await this.sessions.endAllHere(body.subject) };
  }
}

function viewOf(
  principal: Principal | undefined,
  session: StoredSession | undefined,
  now: Date | undefined,
): Answer<typeof session$.get> {
  const { id = 'unknown', scopes: held, person } = principal ?? {};
  const view = { subject: id, scopes: scopes.filter((scope) => held?.has(scope)) };
  if (!session || !now || !person) return view;
  return {
    ...view,
    name: person.name,
    roles: session.roles,
    endsAt: endsAt(session).toISOString(),
    lastsUntil: session.endsAt.toISOString(),
    now: now.toISOString(),
    isFresh: person.isFresh,
  };
}
