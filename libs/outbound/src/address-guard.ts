/** Says whether an IP address (text without brackets) belongs to the public internet. */
export function isPublicAddress(_address: string): boolean {
  throw new Error('not built yet');
}
