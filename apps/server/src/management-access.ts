import { Authentication } from '@app/access';
import type { INestApplication } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

type Next = (error?: unknown) => void;

/**
 * Middleware that lets a request to the management API go on only when it is known who sent it. It stands before
 * whatever reads bodies: a stranger cannot make us read eight megabytes, and does not learn either which spelling is the
 * address.
 */
export function managementAccess(app: Pick<INestApplication, 'get'>) {
  return (request: IncomingMessage, _response: unknown, next: Next): void => {
    if (!/^\/v0(?:[/?]|$)/i.test(request.url ?? '')) {
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
