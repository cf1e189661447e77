/** Why the bearer of an access token was denied a credential that was granted. */
export type DenialReason =
  | 'template-archived'
  | 'template-deleted'
  | 'configuration-removed'
  | 'newer-version'
  | 'schema-unusable'
  | 'claims-open'
  | 'credential-missing'
  | 'credential-expired'
  | 'credential-erased'
  | 'credential-other-holder'
  | 'credential-other-keys'
  | 'credential-finished'
  | 'credential-not-valid'
  | 'credential-too-many-copies'
  | 'credential-overdue'
  | 'credential-denied';

export interface Denial {
  readonly configurationId: string;
  readonly reason: DenialReason;
}
