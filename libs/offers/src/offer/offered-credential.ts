/** One credential an offer promises; without `credentialId` its data has not been submitted, and no wallet waits for it. */
export interface OfferedCredential {
  readonly configurationId: string;
  readonly credentialId?: string;
  /** A wallet has asked for it before its data was submitted. */
  readonly isAwaited?: true;
}

/** The credentials of an offer with this one in the place of its configuration, or after the others. */
export function withOffered(
  credentials: readonly OfferedCredential[],
  { configurationId, credentialId, isAwaited }: OfferedCredential,
): OfferedCredential[] {
  const place = credentials.findIndex((one) => one.configurationId === configurationId);
  const offered = {
    configurationId,
    ...(credentialId !== undefined && { credentialId }),
    ...(isAwaited && { isAwaited }),
  };
  return place === -1 ? [...credentials, offered] : credentials.with(place, offered);
}
