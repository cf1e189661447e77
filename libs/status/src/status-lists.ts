import { Repository } from '@app/event-store';
import { currentStanding } from '@app/http';
import type { StatusListFacts } from '@app/observability';
import { bitstringPurposes, type BitstringPurpose } from '@app/openid4vc';
import { perTenant } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { Inject, Injectable } from '@nestjs/common';
import { type ListedStatus, statusOfValue } from './listed-status';
import { HistoricLists } from './historic-lists';
import { type ListForm, ListSigners } from './list-signers';
import { type ListDocument, ServedList } from './served-list';
import { StatusChanges } from './status-changes';
import { familyOf, type ListTerms, type StatusList, type StatusListEvent, STATUS_LISTS } from './status-list';

/** Lists in memory; one of the largest size takes 256 KiB, besides what was signed of it. */
const mostServed = 256;
/** Milliseconds for which all lists are not read again. */
const allFreshFor = 5_000;
const pageSize = 200;

interface Known {
  readonly terms: ListTerms;
  readonly served: ServedList;
}

interface AllLists {
  readonly lists: readonly StatusList[];
  readonly readAt: number;
}

/** The status lists of this service, as verifiers read them. */
@Injectable()
export class StatusLists {
  private readonly known = perTenant(new Map<string, Known>(), () => new Map<string, Known>());
  private readonly kept = perTenant<{ all?: AllLists }>({}, () => ({}));

  constructor(
    @Inject(STATUS_LISTS) private readonly lists: Repository<StatusList, StatusListEvent>,
    private readonly changes: StatusChanges,
    private readonly signers: ListSigners,
    private readonly historic: HistoricLists,
  ) {}

  /** Throws `not-found`. */
  async token(listId: string, form: ListForm): Promise<ListDocument> {
    const { terms, served } = await this.find(listId);
    return served.document(form, () => this.signers.tokenSigner(terms, form));
  }

  /** Throws `not-found` and `validation-failed`. */
  async tokenAt(listId: string, moment: Date, form: ListForm): Promise<ListDocument> {
    const { terms } = await this.find(listId);
    return this.historic.at(terms, moment, form);
  }

  /** Throws `not-found`. */
  async bitstring(listId: string, asked: string): Promise<ListDocument> {
    const purpose = bitstringPurposes.find((one): one is BitstringPurpose => one === asked);
    if (!purpose) throw new Problem('not-found', `A status list is served for ${bitstringPurposes.join(' and ')}.`);
    const { terms, served } = await this.find(listId);
    return served.document(purpose, () => this.signers.bitstringSigner(terms, purpose));
  }

  /** `undefined` when the address is none of ours, or the list has no such entry. */
  async statusOf(uri: string, entry: number): Promise<ListedStatus | undefined> {
    const listId = uri.slice(uri.lastIndexOf('/') + 1);
    if (uri !== this.signers.urls.statusList(listId)) return undefined;
    const found = await this.search(listId);
    return statusOfValue(await found?.served.statusOf(entry));
  }

  /** All lists, the oldest first; a few seconds old at most. */
  async everyList(): Promise<readonly StatusList[]> {
    const now = performance.now();
    const { all } = this.kept;
    if (all && now - all.readAt < allFreshFor) return all.lists;
    const lists: StatusList[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await this.lists.list({ order: 'oldest', limit: pageSize, ...(cursor !== undefined && { cursor }) });
      lists.push(...page.items.map(({ state }) => state));
      cursor = page.nextCursor;
    }
    this.kept.all = { lists, readAt: now };
    return lists;
  }

  /** For the metrics. */
  async facts(): Promise<StatusListFacts> {
    const lists = new Map<string, { count: number; size: number; reserved: number }>();
    for (const list of await this.everyList()) {
      const { size, reserved } = list;
      const signer = familyOf(list);
      lists.set(signer, { count: (lists.get(signer)?.count ?? 0) + 1, size, reserved });
    }
    return { lists, age: Math.max(0, ...[...this.known.values()].map(({ served }) => served.servedAge)) };
  }

  private async find(listId: string): Promise<Known> {
    const found = await this.search(listId);
    if (!found) throw new Problem('not-found', 'There is no status list with this address.');
    return found;
  }

  private async search(listId: string): Promise<Known | undefined> {
    const known = this.known.get(listId);
    if (known) return known;
    // What no list is called costs no query.
    if (!/^[\w-]{22}$/.test(listId)) return undefined;
    const { state: terms } = await this.lists.load(listId);
    if (!terms) return undefined;
    // Another request may have been faster.
    return this.known.get(listId) ?? this.serve(terms);
  }

  private serve(terms: ListTerms): Known {
    const { listId, size } = terms;
    const isAllRevoked = currentStanding()?.isRevoked ?? false;
    const served = new ServedList(listId, size, this.changes, { ...this.signers.signatory(), isAllRevoked });
    const [oldest] = this.known.keys();
    if (this.known.size >= mostServed && oldest !== undefined) this.known.delete(oldest);
    const known = { terms, served };
    this.known.set(listId, known);
    return known;
  }
}
