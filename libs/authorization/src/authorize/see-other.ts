import { HttpReply } from '@app/http';

/**
 * 303, also after a form.
 * @param address holds a code, or names one: nobody keeps it, and no page it leads to learns where it came from
 */
export function seeOther(address: string, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return new HttpReply(303, undefined, {
    ...headers,
    Location: address,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
}
