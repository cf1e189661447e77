import { randomBytes } from 'node:crypto';

/** What somebody holds of a tenant, by what it is. */
export type Held = Readonly<Record<string, string>>;

/** A random value, or one with a MAC. */
const secrets = /[\w-]{40,}/g;

/** What nobody has, of the same form and length; the shortest values say only where to look and stay. */
export function invented<H extends Held>(held: H): H {
  return Object.fromEntries(Object.entries(held).map(([name, value]) => [name, inventedFor(value)])) as H;
}

function inventedFor(value: string): string {
  if (value.length < 4) return value;
  const other = value.replace(secrets, (secret) =>
    randomBytes(Buffer.from(secret, 'base64url').length).toString('base64url'),
  );
  if (other !== value) return other;
  return value.replace(/[a-z0-9]/gi, (one) => (/\d/.test(one) ? '7' : one === 'a' ? 'b' : 'a'));
}

/** A text without what the caller has sent itself. */
export function withoutSent(text: string, held: Held): string {
  return Object.values(held)
    .filter((value) => value.length > 3)
    .reduce((found, value) => found.replaceAll(value, '...'), text);
}
