import type { AttestedBy } from '@app/credentials';
import type { StatusEntries } from '@app/status';
import type { Validity } from './validity';

/** A credential that was issued once more, for other keys. */
export interface FurtherIssue {
  readonly issuedAt: string;
  /** As those of the first issue. */
  readonly holderKeys: readonly string[];
  readonly statusList?: StatusEntries;
  /** Absent when it is that of the issue before. */
  readonly signingKeyId?: string;
  readonly keyAttestations?: readonly AttestedBy[];
}

export interface ReissuedEvent extends FurtherIssue {
  readonly type: 'CredentialReissued';
  /** How many there are now, those of the earlier issues included. */
  readonly copies: number;
}

/** Who asks once more, and how many copies there may be. */
export interface AskingAgain {
  /** Whether a stranger who finds the token cannot use it. */
  readonly isBoundToKey: boolean;
  /** Of a token that may have been refreshed. */
  readonly tokenGivenAt?: Date | undefined;
  readonly mostCopies: number;
}

/** Who asks, with which keys, and what they would get. */
interface Reissue {
  readonly again?: AskingAgain | undefined;
  readonly attestedBy?: readonly AttestedBy[] | undefined;
  readonly signingKeyId?: string | undefined;
  readonly now: Date;
}

/** What is known of a credential after its first issue. */
interface Issued {
  readonly status: string;
  readonly issuedAt: string;
  readonly holderKeys: readonly string[];
  readonly statusList?: StatusEntries;
  readonly validity?: Validity;
  readonly keyAttestations?: readonly AttestedBy[];
  readonly further?: readonly FurtherIssue[];
}
type Known = Issued | { readonly status: string };

export type RefusedAgain = 'other-keys' | 'finished' | 'not-valid' | 'too-many-copies';

/** How many credentials are out; 0 before the issue. */
export function copiesOf(credential: Known): number {
  if (!('issuedAt' in credential)) return 0;
  const further = credential.further ?? [];
  return [credential, ...further].reduce((sum, { holderKeys }) => sum + holderKeys.length, 0);
}

/** Of the latest copies; `undefined` before the issue. */
export function lastIssuedAt(credential: Known): string | undefined {
  return 'issuedAt' in credential ? (credential.further?.at(-1) ?? credential).issuedAt : undefined;
}

/** How often it was issued again: the number of the latest issue, that of the first one being 0. */
export function furtherIssues(credential: Known): number {
  return 'issuedAt' in credential ? (credential.further?.length ?? 0) : 0;
}

/** The number of the issue to these keys; `undefined` when there was none. */
export function issueTo(credential: Known, keys: readonly string[]): number | undefined {
  if (!('issuedAt' in credential)) return undefined;
  const issues = [credential, ...(credential.further ?? [])];
  const number = issues.findIndex(({ holderKeys }) => haveSameMembers(holderKeys, keys));
  return number < 0 ? undefined : number;
}

/** The entry in a status list of each copy for these keys, by their thumbprints. */
export function copyEntriesOf(
  credential: Known,
  keys: readonly string[],
): ((key: string) => { readonly listId: string; readonly idx: number | undefined }) | undefined {
  if (!('issuedAt' in credential)) return undefined;
  const issue = [credential, ...(credential.further ?? [])][issueTo(credential, keys) ?? 0];
  const { statusList, holderKeys } = issue ?? credential;
  if (!statusList) return undefined;
  return (key) => ({ listId: statusList.listId, idx: statusList.indices[holderKeys.indexOf(key)] });
}

/** The entries of all copies, list by list. */
export function allEntries(credential: Issued): readonly StatusEntries[] {
  const lists = new Map<string, number[]>();
  for (const { statusList } of [credential, ...(credential.further ?? [])]) {
    if (statusList) lists.set(statusList.listId, [...(lists.get(statusList.listId) ?? []), ...statusList.indices]);
  }
  return [...lists].map(([listId, indices]) => ({ listId, indices }));
}

/**
 * The same keys get the same copies: an answer lost on its way must not cost the person their credential. Other keys get copies of
 * their own (OpenID4VCI 1.0 §8) by a token that is worth nothing to whoever finds it, or once by each refreshed one.
 */
export function issueAgain(
  credential: Issued,
  keys: readonly string[],
  { again, signingKeyId, attestedBy, now }: Reissue,
): { readonly events: ReissuedEvent[]; readonly refusal?: RefusedAgain } {
  const mayAsk = again !== undefined && (again.isBoundToKey || isRefreshed(credential, again));
  const isRepeated = issueTo(credential, keys) !== undefined;
  if (isRepeated && credential.status === 'Issued') return { events: [] };
  if (!mayAsk) return { events: [], refusal: credential.status === 'Issued' ? 'other-keys' : 'finished' };
  if (credential.validity !== undefined && credential.validity !== 'Valid') return { events: [], refusal: 'not-valid' };
  // What was signed elsewhere is one document, however often it is given.
  if (isRepeated || signingKeyId === undefined) return { events: [] };
  const copies = copiesOf(credential) + keys.length;
  if (copies > again.mostCopies) return { events: [], refusal: 'too-many-copies' };
  const attested = attestedBy && { keyAttestations: attestedBy };
  const reissued = { issuedAt: now.toISOString(), holderKeys: keys, copies, signingKeyId, ...attested };
  return { events: [{ type: 'CredentialReissued', ...reissued }] };
}

/** The members that one more issue changes. Those of the first one stay. */
export function withFurtherIssue(
  { further = [], keyAttestations = [], validity }: Issued,
  { type: _type, copies: _copies, ...issue }: ReissuedEvent,
): Pick<Issued, 'further' | 'keyAttestations' | 'validity'> & Pick<FurtherIssue, 'signingKeyId'> {
  const { signingKeyId, statusList } = issue;
  const attested = [...keyAttestations, ...(issue.keyAttestations ?? [])];
  const listed = validity ?? (statusList && 'Valid');
  return {
    further: [...further, issue],
    ...(signingKeyId !== undefined && { signingKeyId }),
    ...(attested.length > 0 && { keyAttestations: attested }),
    ...(listed && { validity: listed }),
  };
}

function isRefreshed(credential: Issued, { tokenGivenAt }: AskingAgain): boolean {
  const latest = lastIssuedAt(credential) ?? credential.issuedAt;
  return tokenGivenAt !== undefined && tokenGivenAt.getTime() > Date.parse(latest);
}

/** Of lists that repeat nothing. */
export function haveSameMembers(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
