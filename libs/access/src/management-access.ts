import { enterTenant } from '@app/http';
import type { Tenant } from '@app/primitives/context';
import type { INestApplication } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';
import { Authentication } from './authentication';

type Next = (error?: unknown) => void;

/**
 * Middleware that authenticates requests to the management API. It comes before the one that reads bodies: an unauthenticated caller cannot make the service read eight megabytes, and does not learn
 * which form of an address is the right one.
 */
export function managementAccess(app: Pick<INestApplication, 'get'>, needsCaller: (path: string) => boolean) {
  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    if (!needsCaller(request.url ?? '')) {
      next();
      return;
    }
    const goOn = (tenant: Tenant | undefined): void => {
      if (tenant) enterTenant(tenant, next);
      else next();
    };
    const authenticated = app.get(Authentication).authenticate(request);
    if (types.isPromise(authenticated)) authenticated.then(goOn, next);
    else goOn(authenticated);
  };
}
