import type { Scope } from '../context/access-decision';
import { closed, component, eg, type Schema, text } from './schemas';

/** How a link for wallets can be answered instead of in JSON: bare, or as a QR code. */
export const linkMediaTypes = ['text/plain', 'image/svg+xml', 'image/png'] as const;

export const walletLinkSchema = {
  ...text,
  description: 'The link in the QR code; it also opens a wallet on the same device.',
};

/** Where the page of a resource is, and the pictures of its link. @param page an example of its address */
export function pageLinksOf(page: string): Schema {
  const at = (below: string) => eg(`${page}${below}`, { type: 'string', format: 'uri' });
  return component('PageLinks', closed({ qrSvg: at('/qr.svg'), qrPng: at('/qr.png'), page: at('') }));
}

/**
 * The operations that lead to the public page of a resource and to the pictures of its link, for callers that know its id alone.
 * @param id as operations are named: `Offer`
 * @param name as people call it: `an offer`
 */
export function pageRedirects<const Name extends string>(id: string, name: string, parameter: Name, scope: Scope) {
  const leads = {
    scope,
    answers: { 302: `The public address is in \`Location\`; it is also in \`links\` of ${name}.` },
  } as const;
  return {
    svg: { ...leads, id: `get${id}QrSvg`, route: `GET :${parameter}/qr.svg`, summary: `The QR code of ${name} as SVG` },
    png: { ...leads, id: `get${id}QrPng`, route: `GET :${parameter}/qr.png`, summary: `The QR code of ${name} as PNG` },
    page: {
      ...leads,
      id: `get${id}Page`,
      route: `GET :${parameter}/page`,
      summary: `The page of ${name}, for a person`,
    },
  } as const;
}
