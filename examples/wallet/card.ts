import type { ReceivedCredential } from './wallet-file';

const width = 72;

/** A credential as a person reads it on a terminal: title, facts, then the claims with nested names joined by dots. */
export function card(credential: ReceivedCredential): string {
  const facts: [string, string][] = [
    ['id', credential.id],
    ['type', credential.type],
    ['issuer', shortened(credential.issuer)],
    ['format', credential.format],
    ['holder', credential.keyId === null ? 'anyone (not bound to a key)' : `our key ${credential.keyId}`],
    ['valid', `${credential.validFrom ?? 'always'} until ${credential.expiresAt ?? 'forever'}`],
  ];
  const claims = flatten(credential.claims);
  const indent = Math.max(...[...facts, ...claims].map(([name]) => name.length));
  const lines = (rows: [string, string][]): string[] =>
    rows.map(([name, value]) => `│ ${printable(name).padEnd(indent)}  ${printable(value)}`);
  const title = printable(credential.title);
  return [
    `┌─ ${title} ${'─'.repeat(Math.max(1, width - title.length - 4))}`,
    ...lines(facts),
    `├${'─'.repeat(width - 1)}`,
    ...(claims.length > 0 ? lines(claims) : ['│ no claims']),
    `└${'─'.repeat(width - 1)}`,
  ].join('\n');
}

function flatten(claims: object, prefix = ''): [string, string][] {
  return Object.entries(claims).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const path = `${prefix}${name}`;
    if (typeof value === 'string') return [[path, value]];
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    return nested ? flatten(value, `${path}.`) : [[path, JSON.stringify(value)]];
  });
}

/** A did:jwk contains a whole key; both ends are enough to compare by eye. */
function shortened(identifier: string): string {
  return identifier.length > 80 ? `${identifier.slice(0, 48)}…${identifier.slice(-16)}` : identifier;
}

/** Claims come from outside: control characters could repaint the terminal, so they are shown as spaces. */
function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, ' ');
}
