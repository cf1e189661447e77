import { type HttpReply, representation } from '../context/http-reply';
import { qrSvg } from './qr-code';
import { qrPng } from './qr-png';

/** What shows nothing but the link: as text, or as a QR code. */
export type BareLink = 'text/plain' | 'image/svg+xml' | 'image/png';

/** The link itself or its QR code. Throws `not-acceptable` for a link that no QR code holds. */
export async function shownLink(link: string, as: BareLink, status = 200): Promise<HttpReply> {
  switch (as) {
    case 'text/plain':
      return representation('text/plain; charset=utf-8', link, status);
    case 'image/svg+xml':
      return representation(as, await qrSvg(link), status);
    case 'image/png':
      return representation(as, qrPng(link), status);
  }
}
