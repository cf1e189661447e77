import { Injectable, NotFoundException } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { accessDecisionOf, type Audience } from '../context/access-decision';
import type { DeclaredRoute } from './declared-routes';
import { Listeners } from './listeners';
import type { Gate, RouteGate } from './route-plans';

/** What is not served here is treated like a route that does not exist. */
const nowhere = '/nowhere';

/** Middleware that hides what another listener serves, before its body is read or anything about it is answered. */
export function hideOtherListener(listeners: Listeners, audienceOf: (path: string) => Audience | undefined) {
  return (request: IncomingMessage, _response: unknown, next: () => void): void => {
    if (!listeners.serves(request, audienceOf(request.url ?? ''))) request.url = nowhere;
    next();
  };
}

/**
 * Asks again when the router has decided: should a variant of an address ever pass the middleware and still reach
 * its handler, the handler is what counts. A handler that wants a scope is never served on the public listener.
 */
@Injectable()
export class ListenerGate implements RouteGate {
  constructor(private readonly listeners: Listeners) {}

  gateOf({ handler, controller }: DeclaredRoute): Gate {
    const decision = accessDecisionOf(handler, controller);
    const audience = decision?.kind === 'public' ? decision.audience : 'management';
    return (request) => {
      if (this.listeners.serves(request, audience)) return;
      request.url = nowhere;
      throw new NotFoundException();
    };
  }
}
