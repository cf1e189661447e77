/** How a wallet may name the key a credential is bound to (`cryptographic_binding_methods_supported`). */
export const BINDING_METHODS = ['jwk', 'did:jwk', 'did:key', 'did:web'] as const;

export type BindingMethod = (typeof BINDING_METHODS)[number];

/** How a wallet may name itself in an ID Token (SIOPv2 draft 13 §6.1): by the thumbprint of its key or by a DID. */
export const SUBJECT_SYNTAX_TYPES = [
  'urn:ietf:params:oauth:jwk-thumbprint',
  ...BINDING_METHODS.filter((method) => method.startsWith('did:')),
];
