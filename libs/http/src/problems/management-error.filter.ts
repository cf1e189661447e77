import { debugOf, Problem, problemDocument } from '@app/primitives/problems';
import { ArgumentsHost, Catch, ExceptionFilter, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { HttpReply } from '../context/http-reply';
import { problemOf } from './translate';

/** Where the pages of the problems live, and whether a developer may see more. */
export interface ProblemOptions {
  readonly publicUrl: string;
  /** Adds to a refusal, as `debug`, what decided it, and logs why wallets were refused; only in the development profile. */
  readonly verbose: boolean;
}

export const PROBLEM_OPTIONS = Symbol('PROBLEM_OPTIONS');
export const ADDRESSES = Symbol('ADDRESSES');

interface Asked {
  readonly originalUrl: string;
  readonly url: string;
  readonly method: string;
}

/** What a caller of an unknown address gets. */
export interface Addresses {
  /** The methods of an address, which makes it a 405 instead of a 404; none when there is no such address. */
  methodsOf(path: string): readonly string[];
  /** The address that may have been meant. @param method that it has */
  closestTo(path: string, method?: string): string | undefined;
}

export const RECORD_REFUSAL = Symbol('RECORD_REFUSAL');

/**
 * Records that a caller was refused, before the answer is sent; `undefined` when there is nothing to write. Resolves
 * with the problem to send, another one when nothing could be written.
 */
export type RecordRefusal = (exception: unknown, problem: Problem, method: string) => Promise<Problem> | undefined;

/** Renders every exception of the management API as `application/problem+json`. The default for all routes. */
@Catch()
@Injectable()
export class ManagementErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Inject(PROBLEM_OPTIONS) private readonly options: ProblemOptions,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    @Optional() @Inject(RECORD_REFUSAL) private readonly record?: RecordRefusal,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Asked>();
    const problem = this.withMethods(problemOf(exception), pathOf(request.url), request.method);
    const recording = this.record?.(exception, problem ?? unforeseen, request.method);
    if (!recording) {
      this.answer(exception, problem, host);
      return;
    }
    void recording.then((shown) => {
      this.answer(exception, problem || shown !== unforeseen ? shown : undefined, host);
    });
  }

  /** @param problem undefined for an unforeseen failure */
  private answer(exception: unknown, problem: Problem | undefined, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Asked>();
    const instance = problem ? pathOf(request.originalUrl) : `urn:uuid:${randomUUID()}`;
    if (!problem) {
      this.logger.error({ event: 'request.failed', instance, err: exception });
    }
    const document = problemDocument(problem ?? unforeseen, this.options.publicUrl, instance);
    // Whether a key is mistyped, unknown, expired or revoked is no caller's business.
    const isShown = this.options.verbose && problem?.slug !== 'unauthorized';
    const debug = isShown && { debug: { ...debugOf(exception), ...(!problem && { stack: stackOf(exception) }) } };
    const shown = problem ?? unforeseen;
    this.adapterHost.httpAdapter.reply(
      http.getResponse(),
      new HttpReply(
        shown.status,
        { ...document, ...debug },
        { ...shown.headers, 'Content-Type': 'application/problem+json' },
      ),
    );
  }

  private withMethods(problem: Problem | undefined, path: string, method: string): Problem | undefined {
    if (problem?.slug !== 'not-found') return problem;
    const methods = this.addresses.methodsOf(path);
    if (methods.length === 0) {
      const closest = this.addresses.closestTo(path);
      return closest === undefined ? problem : new Problem('not-found', `No such resource. Did you mean ${closest}?`);
    }
    if (methods.includes(method === 'HEAD' ? 'GET' : method)) return problem;
    const allow = methods.join(', ');
    const closest = this.addresses.closestTo(path, method);
    const meant = closest === undefined ? '' : ` Did you mean ${method} ${closest}?`;
    return new Problem('method-not-allowed', `This address allows ${allow}.${meant}`, [], { Allow: allow });
  }
}

function stackOf(exception: unknown): string {
  return exception instanceof Error ? (exception.stack ?? exception.message) : String(exception);
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

const unforeseen = new Problem('internal', 'The service failed. Only its log has the cause.');
