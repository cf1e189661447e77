import type { StatusChange } from '@app/status';

/** Whether verifiers may accept an issued credential, as its status list says. */
export const validities = ['Valid', 'Suspended', 'Revoked'] as const;
export type Validity = (typeof validities)[number];

export const validityChanges = ['suspend', 'reinstate', 'revoke'] as const;
export type ValidityChange = (typeof validityChanges)[number];

/** An event that changes all copies of a credential in their status list. */
export interface ValidityEvent {
  readonly type: 'CredentialSuspended' | 'CredentialReinstated' | 'CredentialRevoked';
  /** Sealed under the data key of the credential; absent, too, when that was destroyed before. */
  readonly sealedReason?: string;
  /** Of those that are in one list. */
  readonly statusChange: StatusChange;
  /** How many there are, of a credential that was issued more than once. */
  readonly copies?: number;
}

/** The event of a change, and what it makes of the entries. */
export const validityEvents = {
  suspend: { type: 'CredentialSuspended', to: 'suspended' },
  reinstate: { type: 'CredentialReinstated', to: 'valid' },
  revoke: { type: 'CredentialRevoked', to: 'revoked' },
} as const;

const validityAfter = {
  CredentialSuspended: 'Suspended',
  CredentialReinstated: 'Valid',
  CredentialRevoked: 'Revoked',
} as const satisfies Record<ValidityEvent['type'], Validity>;

export function validityAfterEvent({ type }: Pick<ValidityEvent, 'type'>): Validity {
  return validityAfter[type];
}
