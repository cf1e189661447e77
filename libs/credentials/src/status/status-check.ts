import type { PublicJwk } from '@app/primitives/jose';
import type { JsonValue } from '@app/primitives/json';
import { bitstringStatusList, statusEntriesOf, isSet, readEntry } from './bitstring-status-list';
import type { IssuerAnchor } from '../issuers/certified-keys';
import { demand, refusalReason, StatusRefusal } from '../presentation-check';
import { STATUS_INVALID, STATUS_SUSPENDED, STATUS_VALID, statusAt } from './status-list';
import { type ExpectedList, FetchedStatusLists, type StatusListsOptions } from './status-lists';
import { readStatusClaim, tokenStatusList } from './token-status-list';

/** What an issuer says about a credential. */
export type StatedStatus = 'valid' | 'suspended' | 'revoked';

/** The lists of this service, which it does not ask for over the network. */
export interface OwnStatuses {
  /** @param signer the key of a document, whose issuer has no name */
  isOwn(uri: string, issuer: string, signer?: PublicJwk): boolean;
  /** @returns `undefined` when there is no such entry */
  statusAt(uri: string, index: number): Promise<StatedStatus | undefined>;
}

export interface StatusCheckerOptions extends StatusListsOptions {
  /** Whether a credential is rejected of which no sound statement of its issuer can be had. */
  readonly undetermined: 'accept' | 'reject';
  readonly own?: OwnStatuses;
  /** Told of each credential that has a status. @param reason why it is undetermined; holds nothing of the presentation */
  readonly observe?: (status: StatedStatus | 'undetermined', reason?: string) => void;
}

/** Whose statement about which credential is looked for. */
type Stated = Omit<ExpectedList, 'uri'> & { readonly documentKey?: PublicJwk | undefined };

/** Where a credential says its status is found. */
export interface ClaimedStatus {
  /** Of the credential: vct, or W3C types. */
  readonly types: readonly string[];
  /** The claim `status` (Token Status List §6). */
  readonly status?: JsonValue | undefined;
  /** Of a W3C credential (Bitstring Status List §2.1); ignored next to `status`, which says the same. */
  readonly credentialStatus?: JsonValue | undefined;
  /** What vouched for the issuer. */
  readonly anchor?: IssuerAnchor | undefined;
  /** The key that signed it, when it is a document of ISO/IEC 18013-5: its issuer has no name. */
  readonly documentKey?: PublicJwk | undefined;
}

/** `none`: the issuer gave the credential no status. */
export type AcceptedStatus = 'valid' | 'none' | 'undetermined';

/** `remark`: why the status is another than `valid`. */
export interface CheckedStatus {
  readonly status: AcceptedStatus;
  readonly remark?: string;
}

/** Asks the issuers of credentials whether these are still good. */
export class StatusChecker {
  private readonly tokenLists;
  private readonly bitstringLists;

  constructor(private readonly options: StatusCheckerOptions) {
    this.tokenLists = new FetchedStatusLists(options, tokenStatusList);
    this.bitstringLists = new FetchedStatusLists(options, bitstringStatusList);
  }

  /**
   * Refuses a credential that its issuer has suspended or revoked, and, as the options say, one of which no sound statement
   * can be had. Throws `StatusRefusal`, or `FetchPostponed`.
   */
  async check(claimed: ClaimedStatus, issuer: string, now: Date): Promise<CheckedStatus> {
    const { observe, undetermined } = this.options;
    try {
      const { types, anchor, documentKey } = claimed;
      const isOfDocument = documentKey !== undefined;
      const from = { issuer, types, issuerAnchor: anchor, isOfDocument, documentKey };
      const checked = await this.find(claimed, from, now);
      if (checked.status === 'valid') observe?.('valid');
      return checked;
    } catch (cause) {
      const reason = refusalReason(cause);
      if (reason === undefined) throw cause;
      const found = cause instanceof StatusRefusal ? cause.status : 'undetermined';
      observe?.(found, ...(found === 'undetermined' ? [reason] : []));
      if (cause instanceof StatusRefusal) throw cause;
      if (undetermined === 'reject') throw new StatusRefusal('undetermined', reason, { cause });
      return { status: 'undetermined', remark: `not determined, accepted by the settings: ${reason}` };
    }
  }

  /** Forgets all lists: those who signed them may not be trusted any more. */
  forgetLists(): void {
    this.tokenLists.forget();
    this.bitstringLists.forget();
  }

  private async find({ status, credentialStatus }: ClaimedStatus, from: Stated, now: Date): Promise<CheckedStatus> {
    if (status !== undefined) {
      await this.checkTokenList(status, from, now);
      return { status: 'valid' };
    }
    return credentialStatus === undefined ? none : this.checkBitstrings(credentialStatus, from, now);
  }

  private async checkTokenList(status: JsonValue, from: Stated, now: Date): Promise<void> {
    const { uri, idx } = readStatusClaim(status);
    const { own } = this.options;
    if (own?.isOwn(uri, from.issuer, from.documentKey) === true) {
      const stated = await own.statusAt(uri, idx);
      demand(stated !== undefined, 'the status list has no entry for the credential');
      if (stated !== 'valid') throw refused(stated);
      return;
    }
    const value = statusAt(await this.tokenLists.get({ uri, ...from }, now), idx);
    demand(value !== undefined, 'the status list has no entry for the credential');
    if (value === STATUS_INVALID) throw refused('revoked');
    if (value === STATUS_SUSPENDED) throw refused('suspended');
    // A statement was made, and not this one; so the options have no say.
    if (value !== STATUS_VALID) {
      throw new StatusRefusal('undetermined', 'the credential has a status of unknown meaning');
    }
  }

  /** One entry that is set is enough, whatever becomes of the others. */
  private async checkBitstrings(credentialStatus: JsonValue, from: Stated, now: Date): Promise<CheckedStatus> {
    const entries = statusEntriesOf(credentialStatus);
    const found = await Promise.allSettled(entries.map((entry) => this.statedBy(entry, from, now)));
    const stated = found.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    for (const status of ['revoked', 'suspended'] as const) if (stated.includes(status)) throw refused(status);
    const faults = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    // A list that was not asked for leaves more open than one that is wrong.
    const [fault] = [...faults.filter((one) => refusalReason(one) === undefined), ...faults];
    if (fault !== undefined) throw fault as Error;
    return stated.includes('valid') ? { status: 'valid' } : none;
  }

  private async statedBy(entry: JsonValue, from: Stated, now: Date): Promise<StatedStatus | undefined> {
    const read = readEntry(entry);
    if (read === undefined) return undefined;
    const list = await this.bitstringLists.get({ uri: read.uri, ...from }, now);
    if (!isSet(list, read)) return 'valid';
    return read.purpose === 'revocation' ? 'revoked' : 'suspended';
  }
}

const none: CheckedStatus = { status: 'none', remark: 'the issuer gave the credential no status' };

function refused(status: Exclude<StatedStatus, 'valid'>): StatusRefusal {
  return new StatusRefusal(
    status,
    status === 'revoked' ? 'the credential has been revoked' : 'the credential is suspended',
  );
}
