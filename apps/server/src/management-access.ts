import { Authentication } from '@app/access';
import type { INestApplication } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

type Next = (error?: unknown) => void;

/**
 * Middleware that lets a request to the management API go on only when it is known who sent it. It stands before
 * whatever reads bodies: an unauthenticated caller cannot make the service read eight megabytes, and does not learn
 * which form of an address is the right one.
 */
export function managementAccess(app: Pick<INestApplication, 'get'>, needsCaller: (path: string) => boolean) {
  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    if (!needsCaller(request.url ?? '')) {
      next();
      return;
    }
    app
      .get(Authentication)
      .authenticate(request)
      .then(() => {
        next();
      }, next);
  };
}
