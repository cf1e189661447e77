import { inLanes } from '@app/primitives/awaitable';
import { AuditTrail } from '@app/access';
import { approvalReply } from '@app/approvals';
import {
  type Answer,
  HttpReply,
  Implements,
  type Input,
  Resource,
  PROBLEM_OPTIONS,
  problemOf,
  type ProblemOptions,
  requireFreshness,
} from '@app/http';
import { debugOf, problemDocument } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { credentialValidities, credentialValidity } from './credential-validity.contract';
import { ChangeValidity } from './credential-validity.handlers';

/** Above, a person has to confirm that it is them. */
const mostAtEase = 10;

@Resource(credentialValidity)
export class CredentialValidityController {
  constructor(private readonly commands: CommandBus) {}

  @Implements(credentialValidity.suspend)
  async suspend({ params, body, conditions }: Input<typeof credentialValidity.suspend>): Promise<void> {
    await this.commands.execute(new ChangeValidity(params.credentialId, 'suspend', body.reason, conditions));
  }

  @Implements(credentialValidity.reinstate)
  async reinstate({ params, body, conditions }: Input<typeof credentialValidity.reinstate>): Promise<void> {
    await this.commands.execute(new ChangeValidity(params.credentialId, 'reinstate', body.reason, conditions));
  }

  @Implements(credentialValidity.revoke)
  async revoke({ params, body, conditions }: Input<typeof credentialValidity.revoke>): Promise<HttpReply> {
    const { approval } = await this.commands.execute(
      new ChangeValidity(params.credentialId, 'revoke', body.reason, conditions),
    );
    return approval ? approvalReply(approval) : new HttpReply(204);
  }
}

type StatusChangeResult = Answer<typeof credentialValidities.changeAll>['items'][number];

/** Credentials that are worked on at the same time; their units of work share statements. */
const lanes = 32;

/** Many credentials by one request; each succeeds or fails on its own. */
@Resource(credentialValidities)
export class CredentialValiditiesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly audit: AuditTrail,
    @Inject(PROBLEM_OPTIONS) private readonly problems: ProblemOptions,
  ) {}

  /** One result for each id, in the order of the request. */
  @Implements(credentialValidities.changeAll)
  async changeAll({
    body,
  }: Input<typeof credentialValidities.changeAll>): Promise<Answer<typeof credentialValidities.changeAll>> {
    const { change, credentialIds, reason } = body;
    if (change === 'revoke' && credentialIds.length > mostAtEase) requireFreshness();
    const results: StatusChangeResult[] = [];
    await inLanes(credentialIds.entries(), lanes, async ([index, credentialId]) => {
      const outcome = await this.outcome(index, new ChangeValidity(credentialId, change, reason));
      results[index] = { index, credentialId, ...outcome };
    });
    return { items: results };
  }

  private async outcome(
    index: number,
    change: ChangeValidity,
  ): Promise<Pick<StatusChangeResult, 'status' | 'problem' | 'approvalId'>> {
    try {
      const { approval } = await this.commands.execute(change);
      return approval ? { status: 202, approvalId: approval.approval.approvalId } : { status: 204 };
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      await this.audit.refusedPart(error, problem, change.credentialId);
      const place = `/v0/credentials/status_changes#/credentialIds/${index}`;
      const debug = this.problems.verbose && { debug: debugOf(error) };
      return {
        status: problem.status,
        problem: { ...problemDocument(problem, this.problems.publicUrl, place), ...debug },
      };
    }
  }
}
