import { HttpReply, representation } from '@app/web';
import { qrPage, qrPageHeaders, qrSvg } from './qr-code';
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

/** A page that shows the link and its QR code to a person. */
export async function linkPage(title: string, link: string): Promise<HttpReply> {
  return new HttpReply(200, await qrPage(title, link), {
    ...qrPageHeaders,
    'Content-Type': 'text/html; charset=utf-8',
  });
}

/** Where the pictures of a resource's link are. @param address of the resource itself */
export function pictureAddresses(address: string): {
  readonly qrSvg: string;
  readonly qrPng: string;
  readonly page: string;
} {
  return { qrSvg: `${address}/qr.svg`, qrPng: `${address}/qr.png`, page: `${address}/page` };
}
