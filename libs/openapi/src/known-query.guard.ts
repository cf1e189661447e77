import { escapePointer } from '@app/json';
import { Problem } from '@app/problem-details';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { descriptionOf } from './description';

interface Asked {
  readonly originalUrl: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** Refuses query parameters that the description of an operation does not name: a misspelt filter must not be ignored. */
@Injectable()
export class KnownQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Asked>();
    // Reading the query means parsing it, and most requests have none.
    if (!request.originalUrl.includes('?')) return true;
    const description = descriptionOf(context.getClass());
    if (!description) return true;
    const known = description.operations[context.getHandler().name]?.query ?? {};
    const violations = Object.keys(request.query)
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => ({
        pointer: `/${escapePointer(name)}`,
        message: 'This query parameter is not known here.',
      }));
    if (violations.length === 0) return true;
    throw new Problem(
      'validation-failed',
      'The query has parameters that are not known here; see violations.',
      violations,
    );
  }
}
