import type { ErasureCause } from '@app/event-store';
import type { JsonObject } from '@app/primitives/json';
import { Command } from '@nestjs/cqrs';
import type { AskedApproval, Unneeded } from './approval';
import type { OpenedApproval } from './approval-records';

export { approvalAggregate } from './approval';
export { approvalPublication } from './approval-publication';
export type { OpenedApproval } from './approval-records';
export { approvalReply } from './approval-view';
export { awaitsApproval } from './approvals.contract';

/**
 * Asks for the approval of somebody else than the caller of the present request; joins the caller's unit of work. Who asks for the same
 * while one is open gets that one; what is asked for with other details takes its place.
 */
export class RequestApproval extends Command<OpenedApproval> {
  constructor(readonly asked: AskedApproval) {
    super();
  }
}

/** What became of something that was approved: nothing was done when there is a cause. */
export type CarriedOut = Unneeded | undefined;

/**
 * Carries out what was approved, in the unit of work of the approval. The module that asked handles it; a `Problem` with a status below
 * 500 ends the approval as unneeded.
 */
abstract class CarryOut extends Command<CarriedOut> {
  constructor(
    readonly object: string,
    readonly details: JsonObject,
  ) {
    super();
  }
}

/** `details`: `reason`, when one was given. */
export class CarryOutRevocation extends CarryOut {}
/** `details`: `version` of the template's stream. */
export class CarryOutPublication extends CarryOut {}
/** `details`: `version`, and `changes` as `PATCH /v0/templates/{templateId}` takes them. */
export class CarryOutTemplateChange extends CarryOut {}

/** `details`: `rows` to be offered, `revision` of the rows, and `by`, the principal that asked. */
export class CarryOutImport extends CarryOut {}

/** Erases what people wrote in approvals about a credential, for good; joins the caller's unit of work. */
export class EraseApprovals extends Command<void> {
  constructor(
    readonly credentialId: string,
    readonly cause: ErasureCause,
  ) {
    super();
  }
}
