/**
 * One question, asked in the forms that different generations of wallets read; the name is part of the variant's addresses.
 * final: OpenID4VP 1.0 · haip: the same for wallets of HAIP 1.0, by certificate and encrypted ·
 * draft-20: OpenID4VP drafts 18 to 24 · draft-20-redirect: wallets that read such a request but answer at `redirect_uri`
 * and know no `response_uri` · siopv2: an ID Token alone, SIOPv2 draft 13
 */
export const LINK_VARIANTS = ['final', 'haip', 'draft-20', 'draft-20-redirect', 'siopv2'] as const;

/** A variant that a wallet gets as a link, and answers at an address of its own. */
export type LinkVariant = (typeof LINK_VARIANTS)[number];

/** dc-api: OpenID4VP 1.0 over the Digital Credentials API, where a page hands over the request and posts the answer. */
export const REQUEST_VARIANTS = [...LINK_VARIANTS, 'dc-api'] as const;

export type RequestVariant = (typeof REQUEST_VARIANTS)[number];

/** The variants that ask by a presentation definition. */
export type DefinitionVariant = Extract<RequestVariant, 'draft-20' | 'draft-20-redirect'>;

export type ResponseType = 'vp_token' | 'vp_token id_token' | 'id_token';
export type ResponseMode = 'direct_post' | 'direct_post.jwt' | 'dc_api' | 'dc_api.jwt';

/** Whether wallets encrypt their answer, over whichever way they send it. */
export function isEncryptedMode(mode: ResponseMode): boolean {
  return mode === 'direct_post.jwt' || mode === 'dc_api.jwt';
}

/** Whether a page may ask over the Digital Credentials API, beside the links. */
export function isDigitalMode(mode: ResponseMode): boolean {
  return mode === 'dc_api' || mode === 'dc_api.jwt';
}
