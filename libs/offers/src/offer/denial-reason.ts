import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { constantClaims, type IssuableConfiguration, isFormatKnown, type PromisedConfiguration } from '@app/templates';
import type { DenialReason } from './denial';

/** Why no credential of a promised configuration is issued now; `undefined` when one is. */
export function denialReasonOf(found: PromisedConfiguration): DenialReason | undefined {
  if (found.status !== 'issuable') return reasons[found.status];
  return isFormatKnown(found.configuration) ? undefined : 'newer-version';
}

/** The constant claims of a configuration that is issued, or why it has none. */
export async function constantClaimsOrReason(configuration: IssuableConfiguration): Promise<JsonObject | DenialReason> {
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
