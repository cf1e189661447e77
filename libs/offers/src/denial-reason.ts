import type { JsonObject } from '@app/json';
import { Problem } from '@app/problem-details';
import { constantClaims, type IssuableConfiguration, isFormatKnown, type PromisedConfiguration } from '@app/templates';
import type { DenialReason } from './offer-marks';

/** Why no credential of a promised configuration is issued now; `undefined` when one is. */
export function denialReasonOf(found: PromisedConfiguration): DenialReason | undefined {
  if (found.status !== 'issuable') return reasons[found.status];
  return isFormatKnown(found.configuration) ? undefined : 'newer-version';
}

/** The claims that everybody gets who takes up a public offer of a configuration that is issued, or why there are none. */
export async function claimsOfEverybody(configuration: IssuableConfiguration): Promise<JsonObject | DenialReason> {
  try {
    return (await constantClaims(configuration)) ?? 'claims-open';
  } catch (error) {
    if (error instanceof Problem && error.slug === 'invalid-template-schema') return 'schema-unusable';
    throw error;
  }
}

const reasons: Readonly<Record<Exclude<PromisedConfiguration['status'], 'issuable'>, DenialReason>> = {
  archived: 'template-archived',
  deleted: 'template-deleted',
  removed: 'configuration-removed',
};
