import type { Problem } from '@app/primitives/problems';

const mostPlaces = 20;

export const dataFaults = [
  'answer-not-understood',
  'answer-of-another-authorization',
  'answer-too-large',
  'answered-with-an-error',
  'answered-with-a-redirect',
  'claims-invalid',
  'expiry-invalid',
  'no-public-address',
  'not-configured',
  'template-unusable',
  'timeout',
  'unreachable',
] as const;
export type DataFault = (typeof dataFaults)[number];

/** Why there is no data yet. */
export interface MissedData {
  readonly fault: DataFault;
  /** Places of claims that cannot be issued, never their values. */
  readonly claims?: readonly string[];
}

/** Why the data of an answer cannot be submitted. */
export function missedBecauseOf({ slug, violations }: Problem): MissedData {
  switch (slug) {
    case 'invalid-credential-payload':
    case 'credential-schema-validation-failed': {
      const places = violations.map(({ pointer }) => pointer.replace(/^\/credential\/credentialSubject(?=\/)/, ''));
      return { fault: 'claims-invalid', claims: [...new Set(places)].slice(0, mostPlaces) };
    }
    case 'invalid-expiration-date':
    case 'expiration-exceeds-template-limit':
      return { fault: 'expiry-invalid' };
    default:
      return { fault: 'template-unusable' };
  }
}
