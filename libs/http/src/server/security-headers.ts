import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Audience } from '../context/access-decision';
import { allowAllOrigins } from './cors';

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
  const forWallets = rules('cross-origin', isSecure);
  // Portals show QR codes in pages of their own.
  const forOthers = rules('same-site', isSecure);
  return (request, response, next) => {
    const audience = audienceOf(request.url ?? '');
    if (audience !== 'wallets') {
      // What portals read is about persons.
      if (audience === 'management') response.setHeader('Cache-Control', 'no-store');
      forOthers(request, response, next);
      return;
    }
    allowAllOrigins(response);
    forWallets(request, response, next);
  };
}

function rules(policy: 'cross-origin' | 'same-site', isSecure: boolean): Middleware {
  return helmet({
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
}
