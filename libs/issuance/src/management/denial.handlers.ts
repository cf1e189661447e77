import type { Repository } from '@app/event-store';
import { assertConditions, type Conditions } from '@app/http';
import { Sealer } from '@app/keys';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { denyCredential } from '../credential/credential-denial';
import { openReason, placeOfReason } from '../credential/credential-request';

/** Denies a credential that a wallet waits for. Throws `conflict` when none does, or when it was issued. */
export class DenyCredential extends Command<void> {
  constructor(
    readonly credentialId: string,
    /** What the person reads in the wallet. */
    readonly reason: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

@CommandHandler(DenyCredential)
export class DenyCredentialHandler implements ICommandHandler<DenyCredential> {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly sealer: Sealer,
  ) {}

  async execute({ credentialId, reason, conditions }: DenyCredential): Promise<void> {
    await this.credentials.update(credentialId, async ({ state, version, now, dataKey }) => {
      if (!state) throw new Problem('not-found', `There is no credential with the id ${credentialId}.`);
      assertConditions(conditions, version);
      const place = placeOfReason(credentialId);
      const present = dataKey && state.status === 'Denied' ? await openReason(this.sealer, state, dataKey) : undefined;
      const sealedReason = dataKey && (await this.sealer.sealJsonUnder(reason, dataKey, place));
      return denyCredential(state, { sealedReason, isRepeated: present === reason, now });
    });
  }
}
