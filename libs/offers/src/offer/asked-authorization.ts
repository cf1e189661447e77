import { escapePointer } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import {
  asksFor,
  commonPresentation,
  dataOriginOf,
  type Identification,
  identificationOf,
  type IssuableConfiguration,
  settable,
} from '@app/templates';
import type { OfferKind } from './new-offer';
import type { AskedAuthorization, ExpectedSubject } from './offer-grants';

/** What the body of a portal says about the authorization code grant. */
export interface GivenAuthorization {
  readonly identification: Identification | undefined;
  readonly expectedSubject: ExpectedSubject | undefined;
  readonly orPreAuthorized: boolean;
}

interface Circumstances {
  /** Of a new offer of templates; none otherwise. */
  readonly configurations: readonly IssuableConfiguration[];
  readonly kind: OfferKind;
  readonly profile: 'development' | 'production';
  /** Whether an OpenID provider is configured. */
  readonly hasLogin: boolean;
}

/** The authorization code grant with what the portal left open. Throws when the person cannot be identified so. */
export function askedAuthorization(given: GivenAuthorization, circumstances: Circumstances): AskedAuthorization {
  const { expectedSubject, orPreAuthorized } = given;
  const { configurations, kind, profile } = circumstances;
  const identification = identificationFor(given, circumstances);
  if (identification === 'development' && profile === 'production') {
    throw new Problem(
      'conflict',
      'The identification development is for the development profile: it believes anything.',
    );
  }
  if (identification === 'openid' && !circumstances.hasLogin) {
    throw new Problem(
      'setting-missing',
      `There is no provider for the identification openid: ${settable('set SERVICE__IDENTIFICATION__OPENID__ISSUER and __CLIENT_ID')}.`,
    );
  }
  if (identification === 'presentation') assertPresented(configurations, expectedSubject);
  if (identification === 'portal' && expectedSubject) {
    throw new Problem(
      'conflict',
      'expectedSubject needs an identification other than portal: nobody else is asked who the person is.',
    );
  }
  const hasOwnData = (configuration: IssuableConfiguration): boolean => {
    const origin = dataOriginOf(configuration, profile);
    return origin === 'development' ? identification === 'development' : origin !== 'provided';
  };
  const needsNoData =
    kind !== 'deferred' && !orPreAuthorized && configurations.length > 0 && configurations.every(hasOwnData);
  return {
    identification,
    ...(expectedSubject && { expectedSubject }),
    ...(needsNoData && { needsNoData }),
    ...(orPreAuthorized && { orPreAuthorized }),
  };
}

function assertPresented(
  configurations: readonly IssuableConfiguration[],
  expectedSubject: ExpectedSubject | undefined,
): void {
  // Templates come with the data, later.
  if (configurations.length === 0) return;
  const presentation = commonPresentation(configurations);
  if (!presentation) {
    throw new Problem(
      'conflict',
      'The identification presentation needs templates that say what the person presents (presentation), all the same.',
    );
  }
  if (!expectedSubject) return;
  const { claim } = expectedSubject;
  if (!asksFor(presentation, claim.startsWith('/') ? claim : `/${escapePointer(claim)}`)) {
    throw new Problem(
      'conflict',
      `The presentation of the templates does not ask for ${claim}, which expectedSubject names.`,
    );
  }
}

function identificationFor(
  given: GivenAuthorization,
  { configurations, kind, profile, hasLogin }: Circumstances,
): Identification {
  if (given.identification !== undefined) return given.identification;
  const said = new Set(kind === 'deferred' ? [] : configurations.map((one) => identificationOf(one, profile)));
  if (said.size > 1) {
    throw new Problem(
      'conflict',
      'The templates identify the person in different ways: send identification, or an offer of each.',
    );
  }
  const [only = 'portal'] = said;
  if (only !== 'portal' || !given.expectedSubject) return only;
  return profile === 'development' && !hasLogin ? 'development' : 'openid';
}
