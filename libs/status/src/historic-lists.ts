import { Problem } from '@app/primitives/problems';
import { Turns } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';
import type { EntryChange } from './change-chain';
import { applyEntries, newListBytes } from './list-bytes';
import { type ListForm, ListSigners } from './list-signers';
import { ListDocument, presentValidity } from './served-list';
import { StatusChanges, unread } from './status-changes';
import type { ListTerms } from './status-list';

/** Documents that are kept; there is one for the time between two changes of a list. */
const mostKept = 32;
/** Requests that wait for their turn; each takes milliseconds. */
const mostWaiting = 32;

/** Lists as they were at a moment (Token Status List §8.4). */
@Injectable()
export class HistoricLists {
  private readonly kept = new Map<string, ListDocument>();
  private readonly turns = new Turns();
  private waiting = 0;

  constructor(
    private readonly changes: StatusChanges,
    private readonly signers: ListSigners,
  ) {}

  /**
   * The list at a moment. The token is valid from the last change before it to the next one, so that it says nothing about
   * any other time. Throws `not-found` for a time before the list, `validation-failed` for one that is yet to come, and
   * `unavailable` when too many others wait.
   */
  async at(terms: ListTerms, moment: Date, form: ListForm): Promise<ListDocument> {
    if (this.waiting >= mostWaiting) {
      const detail = 'Many requests for past states of status lists wait already.';
      throw new Problem('unavailable', detail, [], { 'Retry-After': '1' });
    }
    this.waiting++;
    try {
      // One at a time: it costs more than any other request to the lists.
      return await this.turns.take(() => this.documentAt(terms, moment, form));
    } finally {
      this.waiting--;
    }
  }

  private async documentAt(terms: ListTerms, moment: Date, form: ListForm): Promise<ListDocument> {
    const { listId, openedAt } = terms;
    const signatory = this.signers.signatory();
    const signer = this.signers.tokenSigner(terms, form);
    if (moment > signatory.now()) throw new Problem('validation-failed', 'The time is in the future.');
    if (seconds(moment) < seconds(new Date(openedAt))) {
      throw new Problem('not-found', `The status list has statements from ${openedAt} on only.`);
    }
    const { entries = [] } = (await this.changes.since(listId, unread)) ?? {};
    const { last, next } = around(entries, moment);
    const present = presentValidity(signatory);
    const iat = seconds(last === undefined ? new Date(openedAt) : new Date(last));
    // Up to the second before the next change, in which both are true.
    const exp = next === undefined ? present.exp : Math.max(Math.ceil(next / 1000), iat + 1);
    const tag = [listId, iat, next === undefined ? present.period : exp, signer.keyId].join('-');
    const known = this.kept.get(tag);
    if (known) return known;
    const list = newListBytes(terms.size);
    applyEntries(
      list,
      entries.filter(({ changedAt }) => changedAt <= moment.getTime()),
    );
    const validity = { iat, exp, ttl: present.ttl };
    const document = new ListDocument(await signer.sign(list, validity), tag);
    this.keep(tag, document);
    return document;
  }

  private keep(tag: string, document: ListDocument): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= mostKept && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(tag, document);
  }
}

/** When the last change at or before a moment was, and the first one after it. */
function around(
  changes: readonly EntryChange[],
  moment: Date,
): { readonly last: number | undefined; readonly next: number | undefined } {
  let last: number | undefined;
  let next: number | undefined;
  for (const { changedAt } of changes) {
    if (changedAt <= moment.getTime()) last = Math.max(last ?? changedAt, changedAt);
    else next = Math.min(next ?? changedAt, changedAt);
  }
  return { last, next };
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
