import { DueErasures, EventStore } from '@app/event-store';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { authorizationAggregate, type AuthorizationEvent, type Authorizations, AUTHORIZATIONS } from './authorization';
import { forgetPerson } from './authorization-decisions';

/** Joins the destruction of an authorization's data key to the unit of work that saves the end of what it seals. */
export function withErasure<Decided extends { readonly events: readonly AuthorizationEvent[] }>(
  store: EventStore,
  authorizationId: string,
  decided: Decided,
): Awaitable<Decided> {
  if (!decided.events.some(({ type }) => type === 'PersonalDataErased')) return decided;
  return whenThere(store.destroyDataKey(authorizationAggregate.category, authorizationId), () => decided);
}

/** Erases what is known of the person when the request was abandoned, or when the last token has ended. */
@Injectable()
export class PersonErasure implements OnModuleInit {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly due: DueErasures,
  ) {}

  onModuleInit(): void {
    this.due.add(authorizationAggregate.category, (id) => this.eraseDue(id));
  }

  private async eraseDue(authorizationId: string): Promise<void> {
    await this.authorizations.update(authorizationId, async ({ state, now }) => {
      const due = { events: state ? forgetPerson(state, now) : [] };
      return (await withErasure(this.store, authorizationId, due)).events;
    });
  }
}
