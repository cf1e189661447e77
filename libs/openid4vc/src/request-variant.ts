/**
 * One question, asked in the forms that different generations of wallets read; the name is part of the variant's addresses.
 * final: OpenID4VP 1.0 · draft-20: OpenID4VP drafts 18 to 24 · draft-20-redirect: wallets that read such a request
 * but answer at `redirect_uri` and know no `response_uri` · siopv2: an ID Token alone, SIOPv2 draft 13
 */
export const REQUEST_VARIANTS = ['final', 'draft-20', 'draft-20-redirect', 'siopv2'] as const;

export type RequestVariant = (typeof REQUEST_VARIANTS)[number];

/** The variants that ask by a presentation definition. */
export type DefinitionVariant = Extract<RequestVariant, 'draft-20' | 'draft-20-redirect'>;

export type ResponseType = 'vp_token' | 'vp_token id_token' | 'id_token';
export type ResponseMode = 'direct_post' | 'direct_post.jwt';
