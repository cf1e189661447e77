import { AlreadyConsumedError, ConflictError } from '@app/event-store';
import { OAuthError, renderOAuthErrorBody } from '@app/openid4vc';
import { causesOf, debugOf } from '@app/problem-details';
import { HttpReply } from '@app/web';
import { ArgumentsHost, Catch, ExceptionFilter, Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { PROBLEM_OPTIONS, type ProblemOptions } from './management-error.filter';
import { problemOf } from './translate';

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
    this.note(error, exception);
    this.adapterHost.httpAdapter.reply(
      host.switchToHttp().getResponse(),
      new HttpReply(error.status, renderOAuthErrorBody(error), { 'Cache-Control': 'no-store', ...error.headers }),
    );
  }

  /** In words of the code: the description may quote what was sent. */
  private note({ code, status }: OAuthError, exception: unknown): void {
    if (!this.options.verbose) return;
    const [check] = debugOf(exception).check;
    const reason = [code ?? 'no-token', ...causesOf(exception)].join(': ');
    this.logger.debug({ event: 'wallet.refused', reason, status, check });
  }

  private oauthErrorOf(exception: unknown): OAuthError {
    if (exception instanceof OAuthError) return exception;
    if (exception instanceof ConflictError || exception instanceof AlreadyConsumedError) {
      return new OAuthError('invalid_request', 'the same resource was requested more than once at the same time');
    }
    const problem = problemOf(exception);
    if (problem?.status === 503) {
      const { slug, status, headers } = problem;
      const description =
        slug === 'outcome-unknown'
          ? 'it is not known whether the request was carried out: send the same request again in a few seconds'
          : 'try again in a few seconds';
      return new OAuthError('temporarily_unavailable', description, { status, headers });
    }
    if (problem && problem.status < 500) {
      return new OAuthError('invalid_request', problem.detail, { status: problem.status, headers: problem.headers });
    }
    const id = randomUUID();
    this.logger.error({ event: 'request.failed', instance: id, err: exception });
    return new OAuthError('server_error', `the service failed, reference ${id}`, { status: 500 });
  }
}
