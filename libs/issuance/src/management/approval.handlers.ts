import type { Repository } from '@app/event-store';
import { assertConditions, type Conditions } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { approveCredential } from '../credential/credential-approval';

/** Approves a credential that waits for it. Throws `conflict` when it does not. */
export class ApproveCredential extends Command<void> {
  constructor(
    readonly credentialId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

@CommandHandler(ApproveCredential)
export class ApproveCredentialHandler implements ICommandHandler<ApproveCredential> {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>) {}

  async execute({ credentialId, conditions }: ApproveCredential): Promise<void> {
    await this.credentials.update(credentialId, ({ state, version, now }) => {
      if (!state) throw new Problem('not-found', `There is no credential with the id ${credentialId}.`);
      assertConditions(conditions, version);
      return approveCredential(state, now);
    });
  }
}
