import { problemOf } from '@app/http';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Pages } from './pages';

/** Renders every exception of a page as a page that says what to do. */
@Catch()
@Injectable()
export class PageErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Pages');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly pages: Pages,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const problem = problemOf(exception);
    if (!problem) this.logger.error({ event: 'request.failed', instance: `urn:uuid:${randomUUID()}`, err: exception });
    const reply = this.pages.failure(http.getRequest<IncomingMessage>(), problem?.status ?? 500, problem?.headers);
    this.adapterHost.httpAdapter.reply(http.getResponse(), reply);
  }
}
