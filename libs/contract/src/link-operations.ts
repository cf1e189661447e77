import type { ProblemSlug } from '@app/problem-details';
import type { Scope } from '@app/web';
import { closed, component, type Schema, text } from './schemas';

/** How a link for wallets can be answered instead of in JSON: bare, or as a QR code. */
export const linkMediaTypes = ['text/plain', 'image/svg+xml', 'image/png'] as const;

const address: Schema = { type: 'string', format: 'uri-reference' };

/** A link for wallets, and where its pictures are. */
export const walletLink: Schema = {
  ...text,
  description: 'What the QR code holds and what opens a wallet on the same device.',
};
export const pictures = component('Links', closed({ qrSvg: address, qrPng: address, page: address }));

/** The operations that show the link to a resource as QR code, and on a page. */
export function linkOperations<const Parameter extends string>(to: {
  /** As operations are named: `Offer`. */
  readonly id: string;
  /** As people call it: `an offer`. */
  readonly name: string;
  readonly parameter: Parameter;
  readonly scope: Scope;
  readonly problems: readonly ProblemSlug[];
}) {
  const picture = { scope: to.scope, problems: to.problems } as const;
  return {
    svg: {
      ...picture,
      id: `get${to.id}QrSvg`,
      route: `GET :${to.parameter}/qr.svg`,
      summary: `The QR code of ${to.name} as SVG`,
      answers: { 200: { description: 'The image.', mediaTypes: ['image/svg+xml'] } },
    },
    png: {
      ...picture,
      id: `get${to.id}QrPng`,
      route: `GET :${to.parameter}/qr.png`,
      summary: `The QR code of ${to.name} as PNG`,
      answers: { 200: { description: 'The image.', mediaTypes: ['image/png'] } },
    },
    page: {
      ...picture,
      id: `get${to.id}Page`,
      route: `GET :${to.parameter}/page`,
      summary: `A page with the QR code of ${to.name}, for a person`,
      answers: { 200: { description: 'The page.', mediaTypes: ['text/html'] } },
    },
  } as const;
}
