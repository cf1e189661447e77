import { ofTenant } from '@app/primitives/context';
import type { IncomingMessage } from 'node:http';

/**
 * Cookies by which pages of this service know a browser again. No script reads them. Tenants of one host share its jar, so their names differ.
 */
export class OwnCookies {
  private readonly prefix: string;
  private readonly attributes: string;

  /**
   * @param url the public address of the service
   * @param sameSite `Lax`: people come back from elsewhere with them, and forms of other sites come without. `Strict`: nothing of another site
   * brings them.
   */
  constructor(url: string, sameSite: 'Lax' | 'Strict' = 'Lax') {
    const isSecure = url.startsWith('https:');
    // With this prefix no other host of the domain can set it (RFC 6265bis §4.1.3.2).
    this.prefix = isSecure ? '__Host-' : '';
    this.attributes = ['HttpOnly', `SameSite=${sameSite}`, ...(isSecure ? ['Secure'] : [])].join('; ');
  }

  find({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
    const start = `${this.prefix}${ofTenant(name)}=`;
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
  }

  /** The header that makes the browser keep it. @param seconds how long */
  keeping(name: string, value: string, seconds: number): { readonly 'Set-Cookie': string } {
    return { 'Set-Cookie': `${this.prefix}${ofTenant(name)}=${value}; Path=/; Max-Age=${seconds}; ${this.attributes}` };
  }
}
