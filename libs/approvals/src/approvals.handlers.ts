import { ApiKeys, SignedInCallers } from '@app/access';
import { EventStore } from '@app/event-store';
import { type Conditions, currentPrincipal, currentRequest, type PageQuery, type Scope } from '@app/http';
import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { Command, CommandBus, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  type CarriedOut,
  CarryOutImport,
  CarryOutPublication,
  CarryOutRevocation,
  CarryOutTemplateChange,
  EraseApprovals,
  RequestApproval,
} from './api';
import {
  type Approval,
  type ApprovalAction,
  type ApprovalState,
  approve,
  type Caller,
  isDecidable,
  reject,
} from './approval';
import { type ApprovalPage, ApprovalRecords, type OpenedApproval } from './approval-records';

/** Approves, and carries out; or rejects. */
export class DecideApproval extends Command<OpenedApproval> {
  constructor(
    readonly approvalId: string,
    readonly verdict: 'approve' | 'reject',
    readonly comment: string | undefined,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class GetApproval extends Query<OpenedApproval> {
  constructor(readonly approvalId: string) {
    super();
  }
}

export class ListApprovals extends Query<ApprovalPage> {
  constructor(
    readonly page: PageQuery,
    readonly state?: ApprovalState,
  ) {
    super();
  }
}

/** How each action is carried out, what it needs, and what the audit calls it. */
const actions = {
  'credential.revoke': { command: CarryOutRevocation, scope: 'credentials:write', audited: 'credentials.revoke' },
  'template.publish': { command: CarryOutPublication, scope: 'templates:write', audited: 'templates.publish' },
  'template.change': { command: CarryOutTemplateChange, scope: 'templates:write', audited: 'templates.change' },
  'import.start': { command: CarryOutImport, scope: 'credentials:write', audited: 'credentials.startImport' },
} as const satisfies Record<
  ApprovalAction,
  { readonly scope: Scope; readonly command: unknown; readonly audited: string }
>;

@CommandHandler(RequestApproval)
export class RequestApprovalHandler implements ICommandHandler<RequestApproval> {
  constructor(private readonly records: ApprovalRecords) {}

  execute({ asked }: RequestApproval): Promise<OpenedApproval> {
    return this.records.request(asked, presentCaller(), currentPrincipal()?.person?.name);
  }
}

@CommandHandler(DecideApproval)
export class DecideApprovalHandler implements ICommandHandler<DecideApproval> {
  constructor(
    private readonly store: EventStore,
    private readonly records: ApprovalRecords,
    private readonly commands: CommandBus,
    private readonly keys: ApiKeys,
    private readonly people: SignedInCallers,
  ) {}

  execute({ approvalId, verdict, comment, conditions }: DecideApproval): Promise<OpenedApproval> {
    const decidedBy = presentCaller();
    return this.records.decide(approvalId, conditions, async ({ state, details, now, dataKey }) => {
      if (!isDecidable(state, verdict, { by: decidedBy, now })) return [];
      const name = currentPrincipal()?.person?.name;
      const words = { ...(comment !== undefined && { comment }), ...(name !== undefined && { name }) };
      const isSilent = Object.keys(words).length === 0;
      const sealedComment = isSilent ? undefined : await this.records.sealWords(approvalId, words, dataKey);
      const decided = {
        decidedBy,
        decidedAt: now.toISOString(),
        ...(sealedComment !== undefined && { sealedComment }),
      };
      return verdict === 'reject' ? reject(decided) : approve(decided, await this.carryOut(state, details));
    });
  }

  /** As if the one who asked did it now. */
  private async carryOut(
    { action, object, requestedBy, templateId }: Approval,
    details: JsonObject,
  ): Promise<CarriedOut> {
    const { command: CarryOut, scope, audited } = actions[action];
    if (!(await this.mayStill(requestedBy, scope, templateId))) return { reason: 'requester-not-allowed' };
    try {
      const cause = await this.commands.execute(new CarryOut(object, details));
      if (!cause) {
        const { requestId = null } = currentRequest() ?? {};
        await this.store.audit({ ...requestedBy, action: audited, object, outcome: 'ok', requestId });
      }
      return cause;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return { reason: 'refused', problem: error.slug };
      throw error;
    }
  }

  /** What tokens of others allow is not known here, nor what people may do who have not signed in lately. */
  private async mayStill({ principal, client }: Caller, scope: Scope, templateId: string): Promise<boolean> {
    const [, keyId] = /^key:(.+)$/.exec(principal) ?? [];
    if (keyId !== undefined) return this.keys.allows(keyId, scope);
    // People come by themselves, and tokens by another client.
    const allowed = principal === client ? await this.people.allows(principal, scope, templateId) : undefined;
    return allowed ?? true;
  }
}

@CommandHandler(EraseApprovals)
export class EraseApprovalsHandler implements ICommandHandler<EraseApprovals> {
  constructor(private readonly records: ApprovalRecords) {}

  execute({ credentialId, cause }: EraseApprovals): Promise<void> {
    return this.records.eraseAbout(credentialId, cause);
  }
}

@QueryHandler(GetApproval)
export class GetApprovalHandler implements IQueryHandler<GetApproval> {
  constructor(private readonly records: ApprovalRecords) {}

  execute({ approvalId }: GetApproval): Promise<OpenedApproval> {
    return this.records.find(approvalId);
  }
}

@QueryHandler(ListApprovals)
export class ListApprovalsHandler implements IQueryHandler<ListApprovals> {
  constructor(private readonly records: ApprovalRecords) {}

  execute({ page, state }: ListApprovals): Promise<ApprovalPage> {
    return this.records.list(page, state);
  }
}

function presentCaller(): Caller {
  const principal = currentPrincipal();
  if (!principal) throw new Error('An approval outside of a request of the management API.');
  return { principal: principal.id, client: principal.client };
}
