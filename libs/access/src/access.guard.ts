import { Problem } from '@app/problem-details';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessDecisionOf } from './access-decision';

/** Lets nobody in where nobody has decided who may: a forgotten decorator closes a route instead of opening it. */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const decision = accessDecisionOf(context.getHandler(), context.getClass());
    if (!decision) throw new Problem('forbidden', 'Nobody may use this address: it lacks a decision about access.');
    return true;
  }
}
