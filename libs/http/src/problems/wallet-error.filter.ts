import { challengeInScheme, OAuthError, renderOAuthErrorBody } from '@app/openid4vc';
import { debugOf } from '@app/primitives/problems';
import { ArgumentsHost, Catch, ExceptionFilter, Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpReply } from '../context/http-reply';
import { noteRefusal } from '../context/request-context';
import { PROBLEM_OPTIONS, type ProblemOptions } from './management-error.filter';
import { walletErrorOf } from './wallet-error';

/** Renders every exception of a wallet endpoint as an OAuth error body, exactly as the specifications name it. */
@Catch()
@Injectable()
export class WalletErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('WalletError');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Inject(PROBLEM_OPTIONS) private readonly options: ProblemOptions,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const error = this.oauthErrorOf(exception);
    noteRefusal({ error: error.code ?? 'no-token', reason: error.reason });
    this.note(error, exception);
    const http = host.switchToHttp();
    const { authorization } = http.getRequest<IncomingMessage>().headers;
    const headers = { 'Cache-Control': 'no-store', ...error.headers, ...challengeInScheme(error, authorization) };
    const reply = new HttpReply(error.status, renderOAuthErrorBody(error), headers);
    this.adapterHost.httpAdapter.reply(http.getResponse(), reply);
  }

  /** In our own words: the description may quote what was sent. */
  private note({ code, reason, words, status }: OAuthError, exception: unknown): void {
    if (!this.options.verbose) return;
    const [check] = debugOf(exception).check;
    this.logger.debug({ event: 'wallet.refused', error: code, reason, words, status, check });
  }

  private oauthErrorOf(exception: unknown): OAuthError {
    const error = walletErrorOf(exception);
    if (error) return error;
    const id = randomUUID();
    this.logger.error({ event: 'request.failed', instance: id, err: exception });
    return new OAuthError('server_error', `the service failed, reference ${id}`, { status: 500 });
  }
}
