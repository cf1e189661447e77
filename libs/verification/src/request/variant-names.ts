/** How portals know the variants of a request. */
export const linkNames = {
  final: '1.0',
  haip: 'haip',
  'draft-20': 'draft-20',
  'draft-20-redirect': 'draft-20-redirect',
  siopv2: 'siopv2',
} as const;

/** With the one that has no link. */
export const variantNames = { ...linkNames, 'dc-api': 'dc-api' } as const;
