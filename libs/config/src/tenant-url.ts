import { baseUrlFault } from './base-url';
import type { Settings } from './settings';

/** Names of files would be taken for those of well-known documents, and what needs encoding is read in many ways. */
const segment = /^[A-Za-z0-9][\w~-]*$/;
/** First segments of addresses below any public URL: below that of one tenant they are its own. */
export const reservedSegments: readonly string[] = [
  'authorize',
  'certificates',
  'console',
  'docs',
  'events',
  'images',
  'livez',
  'nowhere',
  'o',
  'openid4vci',
  'openid4vp',
  'pages',
  'problems',
  'r',
  'readyz',
  'status_lists',
  't',
  'v0',
  'vct',
];
const mostSegments = 8;

/**
 * Says what keeps a text from being the own public URL of a tenant, or undefined when nothing does. The hosts of the service itself belong to the issuer of
 * the settings: who is below its URL is under `/t/`.
 */
export function tenantUrlFault(value: string, { applicationUrl, management }: Settings): string | undefined {
  const fault = baseUrlFault(value);
  if (fault !== undefined) return fault;
  const url = new URL(value);
  const service = new URL(applicationUrl);
  if (url.protocol === 'http:' && service.protocol === 'https:') return 'use https, as the service does';
  if (url.hostname.endsWith('.')) return 'remove the dot at the end of the host';
  if (!/^[^[\]]+\.[^.]*[a-z][^.]*$/.test(url.hostname)) {
    return 'name a host such as id.town.example, which is no address and has two labels at least';
  }
  if (url.host === service.host) {
    return `leave it out, or name another host: on ${service.host} tenants are below ${applicationUrl}/t/`;
  }
  if (management.url !== '' && url.host === new URL(management.url).host) {
    return 'name another host: this one is that of SERVICE__MANAGEMENT__URL';
  }
  const segments = url.pathname === '/' ? [] : url.pathname.split('/').slice(1);
  if (segments.length > mostSegments) return `use at most ${mostSegments} segments`;
  if (!segments.every((one) => segment.test(one))) {
    return 'use letters, digits, - _ ~ in the segments of its path, the first one a letter or digit';
  }
  const taken = segments.find((one) => reservedSegments.includes(one));
  return taken === undefined ? undefined : `use another segment than ${taken}, which the addresses of issuers have`;
}
