import { EraseApprovals } from '@app/approvals';
import { DueErasures, type ErasureCause, erasePersonalData, EventStore, type Repository } from '@app/event-store';
import { ErasePerson } from '@app/authorization';
import { assertConditions, type Conditions } from '@app/http';
import { EraseOffer } from '@app/offers';
import { Problem } from '@app/primitives/problems';
import { Inject, type OnModuleInit } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { ForgetSubmission } from '../api';
import { type Credential, credentialAggregate, type CredentialEvent, CREDENTIALS } from '../credential/credential';

/** Erases the personal data of a credential for good. Throws `not-found`, and `version-conflict` by the conditions. */
export class EraseCredential extends Command<void> {
  constructor(
    readonly credentialId: string,
    readonly cause: ErasureCause,
    readonly conditions: Conditions = {},
  ) {
    super();
  }
}

@CommandHandler(EraseCredential)
export class EraseCredentialHandler implements ICommandHandler<EraseCredential>, OnModuleInit {
  constructor(
    private readonly store: EventStore,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly due: DueErasures,
    private readonly commands: CommandBus,
  ) {}

  onModuleInit(): void {
    this.due.add(credentialAggregate.category, (id) => this.execute(new EraseCredential(id, 'retention')));
  }

  execute({ credentialId, cause, conditions }: EraseCredential): Promise<void> {
    return this.store.transact(async () => {
      const { state: erased } = await this.credentials.update(credentialId, ({ state, version, now }) => {
        if (!state) throw new Problem('not-found', `There is no credential with the id ${credentialId}.`);
        assertConditions(conditions, version);
        return erasePersonalData(state, cause, now);
      });
      await this.commands.execute(new ForgetSubmission(credentialId));
      // Again, too, when the event is there: a backup may have brought the key back.
      await this.store.destroyDataKey(credentialAggregate.category, credentialId);
      if (erased) await this.eraseOrigin(erased, cause);
      await this.commands.execute(new EraseApprovals(credentialId, cause));
    });
  }

  /** Where the credential was asked for, the person is known as well. */
  private async eraseOrigin({ offerId, authorizationId }: Credential, cause: ErasureCause): Promise<void> {
    if (authorizationId !== undefined) await this.commands.execute(new ErasePerson({ authorizationId }, cause));
    if (offerId === undefined) return;
    // The claim of a public offer has the id of its authorization.
    await this.commands.execute(new ErasePerson({ authorizationId: offerId }, cause));
    await this.commands.execute(new ErasePerson({ offerId }, cause));
    await this.commands.execute(new EraseOffer(offerId, cause));
  }
}
