import { Command, Query } from '@nestjs/cqrs';
import type { LinksOfOffer } from '@app/offers';
import type { Violation } from '@app/primitives/problems';
import type { CredentialInput } from './content/credential-input';
import { PreparationLimits } from './content/preparation-limits';
import type { Credential } from './credential/credential';

export { credentialAggregate } from './credential/credential';
export { credentialCounter, credentialPublication } from './credential/credential-events';
export type { CredentialInput } from './content/credential-input';
export { PreparationLimits } from './content/preparation-limits';

/** A credential that a wallet gets by these links, which are not for everyone who may read the credential. */
export interface PreparedCredential {
  readonly credential: Credential;
  /** Of an offer. */
  readonly links: LinksOfOffer | undefined;
}

/** Submits a person's data for one credential of an offer. */
export class PrepareCredential extends Command<PreparedCredential> {
  constructor(
    readonly input: CredentialInput,
    readonly limits = new PreparationLimits(),
  ) {
    super();
  }
}

/**
 * What `PrepareCredential` would find wrong with the data, without storing anything. Throws what is not about the data: a template that
 * cannot be issued now, `claims-not-checked`, `unavailable`.
 */
export class CheckCredential extends Query<readonly Violation[]> {
  constructor(
    readonly input: CredentialInput,
    readonly limits = new PreparationLimits(),
  ) {
    super();
  }
}

/** Credentials by each of these references, as `POST /v0/searches` finds them; a reference of none is not in the answer. */
export class FindByReferences extends Query<ReadonlyMap<string, readonly Credential[]>> {
  constructor(readonly references: readonly string[]) {
    super();
  }
}

/** The data of a credential is being erased: whoever has it from elsewhere forgets it, before the credential does. */
export class ForgetSubmission extends Command<void> {
  constructor(readonly credentialId: string) {
    super();
  }
}
