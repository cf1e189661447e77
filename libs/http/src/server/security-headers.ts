import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Audience } from '../context/access-decision';
import { forAllOrigins } from './cors';

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

const yearInSeconds = 365 * 24 * 60 * 60;

/**
 * Middleware that tells browsers how little an answer may be used for; a page sets its own policy over the one
 * here. Answers to wallets are readable by any web page, including web wallets; answers to portals are kept by no cache.
 */
export function securityHeaders(
  applicationUrl: string,
  audienceOf: (path: string) => Audience | undefined,
): Middleware {
  const isSecure = applicationUrl.startsWith('https:');
  const forWallets = [...forAllOrigins, ...headersOf('cross-origin', isSecure)];
  // Portals show QR codes in pages of their own.
  const forPeople = headersOf('same-site', isSecure);
  // What portals read is about persons.
  const forPortals = [['Cache-Control', 'no-store'] as const, ...forPeople];
  return (request, response, next) => {
    const audience = audienceOf(request.url ?? '');
    const headers = audience === 'wallets' ? forWallets : audience === 'management' ? forPortals : forPeople;
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** They are the same for each answer, so they are asked for once. */
function headersOf(policy: 'cross-origin' | 'same-site', isSecure: boolean): (readonly [string, string])[] {
  const headers: [string, string][] = [];
  const noting = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  } as unknown as ServerResponse;
  const rules = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy },
    referrerPolicy: { policy: 'no-referrer' },
    xContentTypeOptions: true,
    // Other hosts of the domain are not ours to decide about.
    strictTransportSecurity: isSecure && { maxAge: yearInSeconds, includeSubDomains: false },
    // The rest concerns pages that open each other, or browsers of long ago.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xPoweredBy: false,
    xXssProtection: false,
  });
  rules({} as IncomingMessage, noting, (error?: unknown) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
}
