import type { AttestedBy } from '@app/credentials';
import type { Aggregate, Erasable, PersonalDataErased } from '@app/event-store';
import type { NotificationRequest } from '@app/openid4vc';
import type { StatusChange, StatusEntries } from '@app/status';
import {
  type AskingAgain,
  type FurtherIssue,
  furtherIssues,
  haveSameMembers,
  issueAgain,
  type RefusedAgain,
  type ReissuedEvent,
  withFurtherIssue,
} from './credential-copies';
import type { CredentialTerms, RequestedTerms, Wait } from './credential-terms';
import type { MissedData } from './missed-data';
import { isProvedBy, type NamedHolder, type ProvenHolderKey } from './named-holder';
import { type Validity, validityAfterEvent, type ValidityEvent } from './validity';

export type { CheckedSignature, CredentialTerms, RequestedTerms, Wait } from './credential-terms';

export type CredentialEvent =
  /** The first event; a further one when another wallet asks by the new link of a reopened offer. */
  | ({ readonly type: 'CredentialRequested' } & RequestedTerms)
  | {
      readonly type: 'CredentialDenied';
      readonly deniedAt: string;
      /** Sealed under the data key of the credential. */
      readonly sealedReason: string;
    }
  | ({ readonly type: 'CredentialPrepared' } & CredentialTerms)
  /** The portal could not be asked for the data of a credential that a wallet waits for. */
  | ({ readonly type: 'CredentialDataMissed' } & MissedData)
  /** Its data is there, and a person has to look at it before it is issued. */
  | { readonly type: 'CredentialApprovalRequested' }
  | { readonly type: 'CredentialApproved'; readonly approvedAt: string }
  | {
      readonly type: 'CredentialIssued';
      readonly issuedAt: string;
      /** The keys it was bound to, one credential each: pseudonyms of their RFC 7638 thumbprints. */
      readonly holderKeys: readonly string[];
      readonly eraseAt?: string;
      /** Of a revocable credential: one entry for each key, in their order. */
      readonly statusList?: StatusEntries;
      /** RFC 7638 thumbprint of the key that signs it; absent when it was signed elsewhere. */
      readonly signingKeyId?: string;
      /** Of the keys, when the configuration required that they are attested. */
      readonly keyAttestations?: readonly AttestedBy[];
    }
  /** A wallet that has it asked for copies for other keys. */
  | ReissuedEvent
  /** Another key signs the copies of a repeated issue. */
  | { readonly type: 'CredentialSignedAgain'; readonly signingKeyId: string }
  | ValidityEvent
  /** What the validity event before it says of its list, of copies whose entries are in another one. */
  | { readonly type: 'FurtherCopiesChanged'; readonly statusChange: StatusChange }
  | { readonly type: 'CredentialAccepted' }
  | { readonly type: 'CredentialRefused' }
  | { readonly type: 'CredentialDeleted' }
  | PersonalDataErased;

export const credentialStatuses = [
  'Requested',
  'Denied',
  'Prepared',
  'Issued',
  'Accepted',
  'Refused',
  'Deleted',
] as const;
export type CredentialStatus = (typeof credentialStatuses)[number];

/** The sealed content stays in the state until the first issue; from then on it is read from the event that brought it. */
export type Credential = WaitingCredential | SubmittedCredential;

/** Without data, or denied. */
export type WaitingCredential = Omit<RequestedTerms, keyof Wait> &
  Erasable & { readonly wait: Wait } & (
    | { readonly status: 'Requested' }
    | ({ readonly status: 'Denied' } & Omit<Extract<CredentialEvent, { type: 'CredentialDenied' }>, 'type'>)
  );

export type SubmittedCredential = Omit<CredentialTerms, 'sealedContent'> &
  Erasable & {
    /** Of a credential that was requested before its data was submitted. */
    readonly wait?: Wait;
    /** Of a credential that needs one. */
    readonly approval?: 'awaited' | 'given';
  } & (
    | ({ readonly status: 'Prepared' } & Pick<CredentialTerms, 'sealedContent'>)
    | {
        readonly status: 'Issued' | 'Accepted' | 'Refused' | 'Deleted';
        readonly issuedAt: string;
        /** Those of the first issue. */
        readonly holderKeys: readonly string[];
        readonly statusList?: StatusEntries;
        /** Of a credential with entries in a status list. */
        readonly validity?: Validity;
        /** Of the latest signature. */
        readonly signingKeyId?: string;
        readonly keyAttestations?: readonly AttestedBy[];
        /** The later issues to other keys, the latest last. */
        readonly further?: readonly FurtherIssue[];
      }
  );

export function requestCredential(terms: RequestedTerms): CredentialEvent[] {
  return [{ type: 'CredentialRequested', ...terms }];
}

/** With a retention, what is never issued is kept no longer than it could be. */
export function prepareCredential(terms: Omit<CredentialTerms, 'eraseAt'>): CredentialEvent[] {
  const { retention, expiresAt } = terms;
  return [{ type: 'CredentialPrepared', ...terms, ...(retention && expiresAt !== null && { eraseAt: expiresAt }) }];
}

export interface Issue {
  readonly holders: readonly ProvenHolderKey[];
  /** The person that the credential is for, when it names one. */
  readonly named: NamedHolder | undefined;
  /** The end of the content, by the credential's retention. */
  readonly eraseAt?: Date | undefined;
  /** The keys of the request by which the same grant has waited for the data. */
  readonly awaitedBy?: readonly string[] | undefined;
  /** Who attests the keys; absent when nobody had to. */
  readonly attestedBy?: readonly AttestedBy[] | undefined;
  /** Absent when the credential was signed elsewhere. */
  readonly signingKeyId?: string | undefined;
  /** Who asks at the credential endpoint; absent where a wallet collects what it waits for. */
  readonly again?: AskingAgain | undefined;
  readonly now: Date;
}

export type IssueRefusal = 'pending' | 'overdue' | 'denied' | 'expired' | 'other-holder' | RefusedAgain;

/**
 * Keys count from the request of a wallet that has to wait. A credential that names its holder is bound to no other key. How it is
 * issued again, see `issueAgain`.
 */
export function issueCredential(
  credential: Credential,
  issue: Issue,
): { readonly events: CredentialEvent[]; readonly refusal?: IssueRefusal } {
  const isOfOthers = issue.awaitedBy !== undefined && !haveSameMembers(issue.awaitedBy, keysOf(issue));
  if (credential.status === 'Denied') return refused('denied');
  if (credential.status === 'Requested') {
    if (isOfOthers) return refused('other-keys');
    return refused(issue.now.getTime() >= Date.parse(credential.wait.submittableUntil) ? 'overdue' : 'pending');
  }
  if (credential.expiresAt !== null && Date.parse(credential.expiresAt) <= issue.now.getTime()) {
    return refused('expired');
  }
  if (!isProvedBy(issue.named, issue.holders)) return refused('other-holder');
  switch (credential.status) {
    case 'Prepared':
      if (isOfOthers) return refused('other-keys');
      if (credential.approval === 'awaited') return refused('pending');
      if (issue.again && issue.holders.length > issue.again.mostCopies) return refused('too-many-copies');
      return { events: [issued(issue)] };
    case 'Issued':
    case 'Accepted':
    case 'Refused':
    case 'Deleted':
      return issueAgain(credential, keysOf(issue), issue);
  }
}

function refused(refusal: IssueRefusal): { readonly events: []; readonly refusal: IssueRefusal } {
  return { events: [], refusal };
}

function issued(issue: Issue): CredentialEvent {
  const { now, eraseAt, signingKeyId, attestedBy } = issue;
  return {
    type: 'CredentialIssued',
    issuedAt: now.toISOString(),
    holderKeys: keysOf(issue),
    ...(eraseAt && { eraseAt: eraseAt.toISOString() }),
    ...(signingKeyId !== undefined && { signingKeyId }),
    ...(attestedBy && { keyAttestations: attestedBy }),
  };
}

/** Nothing when it is the key of the latest signature. The earlier copies were lost on their way, or are replaced. */
export function signCredential(credential: Credential, signingKeyId: string): CredentialEvent[] {
  if (!('issuedAt' in credential)) throw new Error('a signature of a credential before its issue');
  return credential.signingKeyId === signingKeyId ? [] : [{ type: 'CredentialSignedAgain', signingKeyId }];
}

/** The events of an issue with the entries of the credential in a status list, one for each key. */
export function withStatusList(events: readonly CredentialEvent[], statusList: StatusEntries): CredentialEvent[] {
  return events.map((event) => (isIssue(event) ? { ...event, statusList } : event));
}

/** The first one or a further one. */
export function isIssue(event: CredentialEvent): event is IssueEvent {
  return event.type === 'CredentialIssued' || event.type === 'CredentialReissued';
}

type IssueEvent = Extract<CredentialEvent, { type: 'CredentialIssued' }> | ReissuedEvent;

function keysOf({ holders }: Issue): string[] {
  return holders.map(({ thumbprint }) => thumbprint);
}

/**
 * What a wallet's notification changes; nothing when it repeats itself, comes after the deletion, or is about earlier copies than the
 * latest.
 * @param issue number of the issue that it is about
 */
export function notifyCredential(
  credential: Credential,
  event: NotificationRequest['event'],
  issue = 0,
): CredentialEvent[] {
  const status = statusAfter[event];
  if (!('issuedAt' in credential) || credential.status === 'Deleted' || credential.status === status) return [];
  if (issue < furtherIssues(credential)) return [];
  return [{ type: `Credential${status}` }];
}

const statusAfter = {
  credential_accepted: 'Accepted',
  credential_failure: 'Refused',
  credential_deleted: 'Deleted',
} as const;

function evolveCredential(credential: Credential | undefined, event: CredentialEvent): Credential {
  if (event.type === 'CredentialPrepared') {
    const { type: _type, ...terms } = event;
    return { ...terms, ...(credential?.wait && { wait: credential.wait }), status: 'Prepared' };
  }
  if (event.type === 'CredentialRequested') return requested(event);
  if (!credential) throw new Error('a credential event without its preparation');
  switch (event.type) {
    case 'CredentialDenied': {
      const { deniedAt, sealedReason } = event;
      return { ...waiting(credential), status: 'Denied', deniedAt, sealedReason };
    }
    case 'CredentialDataMissed':
      return credential;
    case 'CredentialApprovalRequested':
      return approval(credential, 'awaited');
    case 'CredentialApproved':
      return approval(credential, 'given');
    case 'CredentialIssued': {
      const { type: _type, ...terms } = event;
      const validity = terms.statusList && ({ validity: 'Valid' } as const);
      return { ...withoutContent(credential), status: 'Issued', ...validity, ...terms };
    }
    case 'CredentialReissued':
      if (!('issuedAt' in credential)) throw new Error('a further issue of a credential before its first one');
      // Until the wallet says what became of its latest copies nobody knows.
      return { ...credential, status: 'Issued', ...withFurtherIssue(credential, event) };
    case 'FurtherCopiesChanged':
      return credential;
    case 'CredentialSignedAgain':
      if (!('issuedAt' in credential)) throw new Error('a signature of a credential before its issue');
      return { ...credential, signingKeyId: event.signingKeyId };
    case 'CredentialSuspended':
    case 'CredentialReinstated':
    case 'CredentialRevoked':
      if (!('issuedAt' in credential)) throw new Error('a change of the status of a credential before its issue');
      return { ...credential, validity: validityAfterEvent(event) };
    case 'CredentialAccepted':
      return finished(credential, 'Accepted');
    case 'CredentialRefused':
      return finished(credential, 'Refused');
    case 'CredentialDeleted':
      return finished(credential, 'Deleted');
    case 'PersonalDataErased':
      return { ...credential, erasedAt: event.erasedAt };
  }
}

function approval(credential: Credential, standing: 'awaited' | 'given'): Credential {
  if (!('expiresAt' in credential)) throw new Error('an approval of a credential without data');
  return { ...credential, approval: standing };
}

function requested({
  type: _type,
  requestedAt,
  submittableUntil,
  sealedRequest,
  ...terms
}: RequestedEvent): Credential {
  return { ...terms, status: 'Requested', wait: { requestedAt, submittableUntil, sealedRequest } };
}

type RequestedEvent = Extract<CredentialEvent, { type: 'CredentialRequested' }>;

/** A denied credential keeps nothing of data that was submitted. With a retention, its request and reason are erased in time. */
function waiting({ wait, ...credential }: Credential): Omit<WaitingCredential, 'status'> {
  if (!wait) throw new Error('a denial of a credential that no wallet waits for');
  const { credentialId, offerId, authorizationId, configurationId, templateId, format, createdAt } = credential;
  const origin = {
    ...(offerId !== undefined && { offerId }),
    ...(authorizationId !== undefined && { authorizationId }),
  };
  const terms = { credentialId, ...origin, configurationId, format, createdAt, wait };
  const isLimited = 'retention' in credential;
  const { eraseAt = isLimited ? wait.submittableUntil : undefined } = credential;
  return { ...terms, ...(templateId !== undefined && { templateId }), ...(eraseAt !== undefined && { eraseAt }) };
}

function withoutContent(credential: Credential): Omit<SubmittedCredential, 'status'> {
  if (!('expiresAt' in credential)) throw new Error('an issue of a credential without data');
  const { sealedContent: _content, ...terms } = credential as SubmittedCredential & Partial<CredentialTerms>;
  return terms;
}

function finished(credential: Credential, status: 'Accepted' | 'Refused' | 'Deleted'): Credential {
  if (!('issuedAt' in credential)) throw new Error('a notification about a credential that was never issued');
  return { ...credential, status };
}

export const credentialAggregate: Aggregate<Credential, CredentialEvent> = {
  category: 'credential',
  evolve: evolveCredential,
  // 2: without the sealed content once it is issued. 3: with further issues.
  foldVersion: 3,
  eventVersion: { CredentialReissued: 2, FurtherCopiesChanged: 2 },
  parent: ({ offerId, authorizationId }) => offerId ?? authorizationId,
  terms: ['offerId', 'authorizationId', 'templateId', 'configurationId'],
  filterColumns: { templateId: 'template_id', status: 'status' },
  isListedByIssue: true,
};

/** Injection token of the credentials' repository. */
export const CREDENTIALS = Symbol('CREDENTIALS');
