import type { Violation } from '@app/primitives/problems';
import { Query } from '@nestjs/cqrs';
import { CheckingTime } from './schema/checking-time';
import type { IssuableConfiguration } from './configuration/credential-configuration';
import type { Identification } from './data-sources/data-origin';
import type { ClaimsRule } from './schema/json-schema';
import type { FourEyes } from './template/four-eyes';
import type { IdentifiedPerson, MappedClaims } from './configuration/mapped-claims';

export {
  concernOf,
  isBuildable,
  isFormatKnown,
  type IssuableConfiguration,
  kindText,
  unsupportedFormat,
} from './configuration/credential-configuration';
export { asksFor, commonPresentation } from './data-sources/asked-presentation';
export { membersNeeded } from './data-sources/claim-sources';
export { constantClaims } from './configuration/constant-claims';
export { CheckingTime } from './schema/checking-time';
export {
  dataOriginOf,
  type Identification,
  identificationOf,
  identifications,
  settable,
} from './data-sources/data-origin';
export { developmentClaims } from './data-sources/development-person';
export type { IdentifiedPerson, MappedClaims } from './configuration/mapped-claims';
export { movedImages } from './images/image-table';
export type { FourEyes } from './template/four-eyes';
export { expirationLimit } from './template/expiration';
export { erasureAfterIssue, type Retention } from './template/retention';
export type { ClaimsRule } from './schema/json-schema';
export { openBadgeFaults, openBadgeProperties, openBadgeRule } from './schema/open-badge-schema';
export { templateAggregate } from './template/template';
export { templatePublication } from './template/template-publication';

/** Whether a wallet may ask for these by itself, without an offer, and who then identifies the person. */
export type WalletInitiation =
  | { readonly outcome: 'possible'; readonly identification: Exclude<Identification, 'portal'> }
  /** Only an offer gives these. */
  | { readonly outcome: 'offer-needed'; readonly configurationIds: readonly string[] }
  /** They identify the person in different ways, or by different presentations: each has to be asked for alone. */
  | { readonly outcome: 'apart'; readonly configurationIds: readonly string[] };

export class FindWalletInitiation extends Query<WalletInitiation> {
  constructor(readonly configurationIds: readonly string[]) {
    super();
  }
}

/** The claims of a configuration from what is known of a person. Throws `no-credential-configuration-found`, and as `CheckClaims`. */
export class MapClaims extends Query<MappedClaims> {
  constructor(
    readonly configurationId: string,
    readonly person: IdentifiedPerson,
  ) {
    super();
  }
}

/** What second persons have to approve of a template and its credentials; nothing when there is none. Also of a deleted one. */
export class FindFourEyes extends Query<FourEyes> {
  constructor(readonly templateId: string) {
    super();
  }
}

/** The configuration of a published template. Throws `template-not-found` or `template-not-published`. */
export class GetConfigurationOfTemplate extends Query<IssuableConfiguration> {
  constructor(readonly templateId: string) {
    super();
  }
}

/** One configuration that can be issued now, provisioned or of a published template. */
export class FindCredentialConfiguration extends Query<IssuableConfiguration | undefined> {
  constructor(readonly configurationId: string) {
    super();
  }
}

/** The state of a configuration that was promised in an offer. */
export type PromisedConfiguration =
  | { readonly status: 'issuable'; readonly configuration: IssuableConfiguration }
  /** Its template is Archived; this is what it was. */
  | { readonly status: 'archived'; readonly configuration: IssuableConfiguration }
  /** Its template was deleted, or no file provisions it any more. */
  | { readonly status: 'deleted' | 'removed' };

export class FindPromisedConfiguration extends Query<PromisedConfiguration> {
  constructor(readonly configurationId: string) {
    super();
  }
}

/**
 * Every configuration that can be issued now. The same array object comes back while nothing has changed, so that
 * documents rendered from it can be kept. Up to one second old when another replica published a template.
 */
export class ListCredentialConfigurations extends Query<readonly IssuableConfiguration[]> {}

/**
 * The ids of the configurations that can be issued now and have one of these scopes, each once; scopes that none has are
 * ignored (RFC 9126 §2.1 by way of OpenID4VCI 1.0 §5.1.2). As old as `ListCredentialConfigurations`.
 */
export class ConfigurationsOfScope extends Query<readonly string[]> {
  constructor(readonly scopes: readonly string[]) {
    super();
  }
}

/**
 * Checks claims against the schema of a configuration; an empty list when there is none or they satisfy it. Throws
 * `claims-not-checked` when the request has no time left for it, and `unavailable` when too many checks wait.
 */
export class CheckClaims extends Query<readonly Violation[]> {
  constructor(
    readonly rule: ClaimsRule,
    readonly claims: unknown,
    /** JSON Pointer of the claims in the request, the beginning of every violation's pointer. */
    readonly pointer: string,
    readonly time = new CheckingTime(),
  ) {
    super();
  }
}
