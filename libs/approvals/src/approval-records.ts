import { notePersonalData } from '@app/access';
import { type ErasureCause, erasePersonalData, EventStore, type Loaded, type Repository } from '@app/event-store';
import { assertConditions, type Conditions, type PageQuery } from '@app/http';
import { Sealer } from '@app/keys';
import type { Awaitable } from '@app/primitives/awaitable';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type Approval,
  type ApprovalEvent,
  APPROVALS,
  type ApprovalState,
  approvalAggregate,
  approvalsStoredAs,
  approve,
  type AskedApproval,
  type Caller,
  parentOf,
  requestApproval,
  stateOf,
} from './approval';

/** An approval as the database's clock sees it, with what was sealed of it where that was opened. */
export interface OpenedApproval {
  readonly approval: Approval;
  /** Of its stream. */
  readonly version: number;
  readonly now: Date;
  readonly details?: JsonObject | undefined;
  readonly comment?: string | undefined;
  readonly names?: Names;
}

/** How the provider calls the people who asked and decided; none of keys. */
export interface Names {
  readonly requestedBy?: string | undefined;
  readonly decidedBy?: string | undefined;
}

export interface ApprovalPage {
  readonly items: readonly OpenedApproval[];
  readonly nextCursor: string | null;
}

/** What a decision about an approval needs. */
export type DecideOn = (
  found: Loaded<Approval> & { readonly state: Approval; readonly details: JsonObject },
) => Awaitable<readonly ApprovalEvent[]>;

@Injectable()
export class ApprovalRecords {
  constructor(
    private readonly store: EventStore,
    @Inject(APPROVALS) private readonly approvals: Repository<Approval, ApprovalEvent>,
    private readonly sealer: Sealer,
  ) {}

  /** The open approval for just this, or a new one in the place of what is open; joins the caller's unit of work. @param requesterName sealed with the details */
  async request(
    { details, ...asked }: AskedApproval,
    requestedBy: Caller,
    requesterName: string | undefined,
  ): Promise<OpenedApproval> {
    const toSeal = { ...details, ...(requesterName !== undefined && { requesterName }) };
    for (let round = 0; ; round++) {
      const approvalId = idOf(asked, round);
      const { state, version, now, dataKey } = await this.approvals.load(approvalId);
      if (state && stateOf(state, now) === 'open') {
        if (await this.asksFor(details, state, dataKey)) return { approval: state, version, now };
        await this.replace(approvalId, requestedBy);
      }
      if (state) continue;
      const { sealed: sealedDetails, wrappedKey } = await this.sealer.sealJson(toSeal, placeOfDetails(approvalId));
      const events = requestApproval({ ...asked, approvalId, requestedBy, sealedDetails }, now);
      const saved = await this.approvals.save(approvalId, 0, events, { dataKey: wrappedKey });
      return { approval: saved.state, version: saved.version, now };
    }
  }

  /** Whoever asks: `by` says who did. */
  private async asksFor(details: JsonObject, open: Approval, dataKey: Buffer | undefined): Promise<boolean> {
    const place = placeOfDetails(open.approvalId);
    const opened = dataKey && (await this.sealer.openJson(open.sealedDetails, dataKey, place));
    const { by: _one, requesterName: _name, ...before } = isJsonObject(opened) ? opened : {};
    const { by: _other, ...now } = details;
    return isDeepStrictEqual(before, JSON.parse(JSON.stringify(now)));
  }

  /** Nobody is to approve what is not wanted any more. */
  private async replace(approvalId: string, decidedBy: Caller): Promise<void> {
    await this.approvals.update(approvalId, ({ state, now }) => {
      const decided = { decidedBy, decidedAt: now.toISOString() };
      return state && stateOf(state, now) === 'open' ? approve(decided, { reason: 'asked-anew' }) : [];
    });
  }

  /** @throws Problem `not-found` */
  async find(approvalId: string): Promise<OpenedApproval> {
    const { state, version, now, dataKey } = await this.approvals.load(approvalId);
    if (!state) throw unknown(approvalId);
    const { sealedComment } = state.decision ?? {};
    const opened = dataKey && (await this.detailsOf(state, dataKey));
    const said =
      dataKey && sealedComment !== undefined
        ? wordsIn(await this.sealer.openJson(sealedComment, dataKey, placeOfComment(approvalId)))
        : {};
    return {
      approval: state,
      version,
      now,
      ...(opened && { details: opened.details }),
      ...(said.comment !== undefined && { comment: said.comment }),
      names: { requestedBy: opened?.requesterName, decidedBy: said.name },
    };
  }

  async list(page: PageQuery, state: ApprovalState | undefined): Promise<ApprovalPage> {
    const { items, nextCursor, now } = await (state === undefined
      ? this.approvals.list(page)
      : this.approvals.listInStates({ ...page, ...approvalsStoredAs(state) }));
    return { items: items.map((item) => ({ approval: item.state, version: item.version, now })), nextCursor };
  }

  /** @throws Problem `not-found`, `version-conflict` or that of the decision */
  async decide(approvalId: string, conditions: Conditions, decide: DecideOn): Promise<OpenedApproval> {
    await this.approvals.update(approvalId, async (loaded) => {
      const { state, version, dataKey } = loaded;
      if (!state) throw unknown(approvalId);
      assertConditions(conditions, version);
      const { details = {} } = (dataKey && (await this.detailsOf(state, dataKey))) ?? {};
      return decide({ ...loaded, state, details });
    });
    return this.find(approvalId);
  }

  /** `undefined` when the data key of the approval was destroyed. */
  async sealWords(approvalId: string, words: Words, dataKey: Buffer | undefined): Promise<string | undefined> {
    return dataKey && this.sealer.sealJsonUnder({ ...words }, dataKey, placeOfComment(approvalId));
  }

  /** Joins the caller's unit of work. */
  async eraseAbout(credentialId: string, cause: ErasureCause): Promise<void> {
    const parent = parentOf({ action: 'credential.revoke', object: credentialId });
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await this.approvals.list({ parent, limit: 100, ...(cursor !== undefined && { cursor }) });
      for (const { id } of page.items) await this.erase(id, cause);
      cursor = page.nextCursor;
    }
  }

  private async erase(approvalId: string, cause: ErasureCause): Promise<void> {
    await this.approvals.update(approvalId, ({ state, now }) => (state ? erasePersonalData(state, cause, now) : []));
    await this.store.destroyDataKey(approvalAggregate.category, approvalId);
  }

  private async detailsOf(
    { approvalId, sealedDetails }: Approval,
    dataKey: Buffer,
  ): Promise<OpenedDetails | undefined> {
    notePersonalData();
    const opened = await this.sealer.openJson(sealedDetails, dataKey, placeOfDetails(approvalId));
    if (!isJsonObject(opened)) return undefined;
    const { requesterName, ...details } = opened;
    return { details, requesterName: typeof requesterName === 'string' ? requesterName : undefined };
  }
}

interface OpenedDetails {
  readonly details: JsonObject;
  readonly requesterName: string | undefined;
}

/** What is sealed of a decision. */
interface Words {
  readonly comment?: string | undefined;
  /** Of who decided. */
  readonly name?: string | undefined;
}

/** Earlier decisions have the comment alone. */
function wordsIn(sealed: unknown): Words {
  if (typeof sealed === 'string') return { comment: sealed };
  const { comment, name } = isJsonObject(sealed) ? sealed : {};
  return {
    ...(typeof comment === 'string' && { comment }),
    ...(typeof name === 'string' && { name }),
  };
}

/** The same on every replica, so that two requests at the same time make one approval. */
function idOf({ action, object }: Pick<AskedApproval, 'action' | 'object'>, round: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([action, object, round]))
    .digest('hex');
  return [8, 12, 16, 20, 32].map((end, index, ends) => digest.slice(ends[index - 1] ?? 0, end)).join('-');
}

function placeOfDetails(approvalId: string) {
  return { streamId: `approval-${approvalId}`, event: 'ApprovalRequested' };
}

function placeOfComment(approvalId: string) {
  return { streamId: `approval-${approvalId}`, event: 'ApprovalGiven' };
}

function unknown(approvalId: string): Problem {
  return new Problem('not-found', `There is no approval with the id ${approvalId}.`);
}
