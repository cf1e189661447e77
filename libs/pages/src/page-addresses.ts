/** What begins the path of a page: of an offer, or of an authorization request. */
export type PageKind = 'o' | 'r';

/** Where a page and the pictures of its link are: absolute, and on the public listener. */
export interface PageAddresses {
  readonly qrSvg: string;
  readonly qrPng: string;
  readonly page: string;
}

/** @param applicationUrl the public URL @param handle the public one of what the page shows */
export function pageAddresses(applicationUrl: string, kind: PageKind, handle: string): PageAddresses {
  const page = `${applicationUrl}/${kind}/${handle}`;
  return { qrSvg: `${page}/qr.svg`, qrPng: `${page}/qr.png`, page };
}
