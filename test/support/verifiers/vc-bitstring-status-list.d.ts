/** The package has no types. */
declare module '@digitalbazaar/vc-bitstring-status-list' {
  interface Checked {
    readonly verified: boolean;
    readonly error?: Error;
    readonly results?: readonly {
      readonly status: boolean;
      readonly credentialStatus: { readonly statusPurpose: string };
    }[];
  }
  export function statusTypeMatches(options: { readonly credential: object }): boolean;
  export function checkStatus(options: {
    readonly credential: object;
    readonly documentLoader: (uri: string) => Promise<{ readonly document: object }>;
    readonly verifyBitstringStatusListCredential: boolean;
  }): Promise<Checked>;
}
