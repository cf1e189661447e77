import type { Repository } from '@app/event-store';
import { assertConditions, type Conditions } from '@app/http';
import { Sealer } from '@app/keys';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { changeValidity } from '../credential/credential-validity';
import { type ValidityChange, validityEvents } from '../credential/validity';

/**
 * Suspends, reinstates or revokes all copies of an issued credential. Throws `not-found`, `version-conflict` by the
 * conditions, and what `changeValidity` throws.
 */
export class ChangeValidity extends Command<void> {
  constructor(
    readonly credentialId: string,
    readonly change: ValidityChange,
    readonly reason: string | undefined,
    readonly conditions: Conditions = {},
  ) {
    super();
  }
}

@CommandHandler(ChangeValidity)
export class ChangeValidityHandler implements ICommandHandler<ChangeValidity> {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly sealer: Sealer,
  ) {}

  async execute({ credentialId, change, reason, conditions }: ChangeValidity): Promise<void> {
    await this.credentials.update(credentialId, async ({ state, version, dataKey }) => {
      if (!state) throw new Problem('not-found', `There is no credential with the id ${credentialId}.`);
      assertConditions(conditions, version);
      const isSealed = reason !== undefined && dataKey !== undefined;
      const place = { streamId: `credential-${credentialId}`, event: validityEvents[change].type };
      const sealedReason = isSealed ? await this.sealer.sealJsonUnder(reason, dataKey, place) : undefined;
      return changeValidity(state, change, sealedReason);
    });
  }
}
