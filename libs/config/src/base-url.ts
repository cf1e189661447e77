import { urlOf } from '@app/primitives/url';
import { IsUrl, ValidateBy, type ValidationOptions } from 'class-validator';

/**
 * Says what keeps a text from being the base URL of a service, or undefined when nothing does. Everything the service
 * publishes is this text plus a path, so only the one canonical form is accepted.
 */
export function baseUrlFault(value: unknown): string | undefined {
  const url = typeof value === 'string' ? urlOf(value) : undefined;
  if (typeof value !== 'string' || url === undefined) return 'give an absolute URL such as https://issuer.example.com';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'use https (or http in development)';
  if (url.username !== '' || url.password !== '') return 'remove the user name and password';
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(value)) return 'remove the query and fragment';
  if (value.endsWith('/')) return 'remove the trailing slash';
  const canonical = url.href.replace(/\/$/, '');
  return canonical === value ? undefined : `write it as ${canonical}`;
}

export function IsBaseUrl(): PropertyDecorator {
  const options: ValidationOptions = { message: ({ value }) => baseUrlFault(value) ?? '' };
  return ValidateBy(
    { name: 'isBaseUrl', validator: { validate: (value) => baseUrlFault(value) === undefined } },
    options,
  );
}

/** The issuer of an OpenID provider. */
export function IsProviderUrl(): PropertyDecorator {
  return IsUrl(
    {
      require_tld: false,
      protocols: ['https', 'http'],
      require_protocol: true,
      allow_query_components: false,
      allow_fragments: false,
    },
    { message: 'give an https URL without query and fragment' },
  );
}

/** Whether only this machine itself can reach the URL. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
