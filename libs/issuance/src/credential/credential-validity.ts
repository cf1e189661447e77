import { Problem } from '@app/primitives/problems';
import type { Credential, CredentialEvent } from './credential';
import { allEntries, copiesOf, furtherIssues } from './credential-copies';
import { type Validity, validityAfterEvent, type ValidityChange, validityEvents } from './validity';

/** `undefined` when the credential has no entry in a status list, or has not been issued. */
export function validityOf(credential: Credential): Validity | undefined {
  return 'issuedAt' in credential ? credential.validity : undefined;
}

/**
 * Nothing happens when the credential is as demanded already. Revocation is final. Throws `credential-not-issued`,
 * `credential-not-revocable` or `credential-revoked`.
 */
export function changeValidity(
  credential: Credential,
  change: ValidityChange,
  sealedReason: string | undefined,
): CredentialEvent[] {
  const { credentialId } = credential;
  if (!('issuedAt' in credential)) {
    throw new Problem('credential-not-issued', `No wallet has fetched the credential ${credentialId} yet.`);
  }
  const [entries, ...others] = allEntries(credential);
  const validity = validityOf(credential);
  if (!entries || !validity) {
    throw new Problem(
      'credential-not-revocable',
      `The credential ${credentialId} was issued without an entry in a status list.`,
    );
  }
  const { type, to } = validityEvents[change];
  if (validity === validityAfterEvent({ type })) return [];
  if (validity === 'Revoked') {
    throw new Problem('credential-revoked', `The credential ${credentialId} was revoked, which is final.`);
  }
  const reason = sealedReason !== undefined && { sealedReason };
  const copies = furtherIssues(credential) > 0 && { copies: copiesOf(credential) };
  return [
    { type, ...reason, ...copies, statusChange: { ...entries, to } },
    ...others.map((of) => ({ type: 'FurtherCopiesChanged' as const, statusChange: { ...of, to } })),
  ];
}
