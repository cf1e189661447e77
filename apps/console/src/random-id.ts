/** An id that nobody else has chosen: `offer-3k9x0c2m1a`. */
export function randomId(prefix: string): string {
  // `crypto.randomUUID` is missing where the page was opened by the address of the machine in its network.
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `${prefix}-${[...bytes].map((byte) => (byte % 36).toString(36)).join('')}`;
}
