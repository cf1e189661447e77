import { type CarriedOut, CarryOutRevocation, type OpenedApproval, RequestApproval } from '@app/approvals';
import type { Decision, Loaded, Repository } from '@app/event-store';
import { assertConditions, type Conditions } from '@app/http';
import { Sealer } from '@app/keys';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { FindFourEyes } from '@app/templates';
import { Command, CommandBus, CommandHandler, ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { changeValidity } from '../credential/credential-validity';
import { type ValidityChange, validityEvents } from '../credential/validity';

type DecidedValidity = Decision<CredentialEvent, ChangedValidity>;

export interface ChangedValidity {
  /** Whether it was not so before. */
  readonly isChanged: boolean;
  /** Nothing is changed: a second person has to approve it. */
  readonly approval?: OpenedApproval;
}

/**
 * Suspends, reinstates or revokes all copies of an issued credential. Throws `not-found`, `version-conflict` by the
 * conditions, and what `changeValidity` throws.
 */
export class ChangeValidity extends Command<ChangedValidity> {
  /** @param isApproved by a second person */
  constructor(
    readonly credentialId: string,
    readonly change: ValidityChange,
    readonly reason: string | undefined,
    readonly conditions: Conditions = {},
    readonly isApproved = false,
  ) {
    super();
  }
}

@CommandHandler(ChangeValidity)
export class ChangeValidityHandler implements ICommandHandler<ChangeValidity> {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly sealer: Sealer,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  async execute({ credentialId, change, reason, conditions, isApproved }: ChangeValidity): Promise<ChangedValidity> {
    const decide = async ({ state, version, dataKey }: Loaded<Credential>): Promise<DecidedValidity> => {
      if (!state) throw new Problem('not-found', `There is no credential with the id ${credentialId}.`);
      assertConditions(conditions, version);
      const isSealed = reason !== undefined && dataKey !== undefined;
      const place = { streamId: `credential-${credentialId}`, event: validityEvents[change].type };
      const sealedReason = isSealed ? await this.sealer.sealJsonUnder(reason, dataKey, place) : undefined;
      const events = changeValidity(state, change, sealedReason);
      const isChanged = events.length > 0;
      if (change !== 'revoke' || !isChanged || isApproved) return { events, result: { isChanged } };
      const approval = await this.approvalOf(state, isSealed ? reason : undefined);
      return approval ? { events: [], result: { isChanged: false, approval } } : { events, result: { isChanged } };
    };
    return (await this.credentials.update(credentialId, decide)).result;
  }

  private async approvalOf(credential: Credential, reason: string | undefined): Promise<OpenedApproval | undefined> {
    const { credentialId: object } = credential;
    const templateId = 'templateId' in credential ? credential.templateId : undefined;
    if (templateId === undefined) return undefined;
    const { revoke } = await this.queries.execute(new FindFourEyes(templateId));
    if (!revoke) return undefined;
    const details = reason === undefined ? {} : { reason };
    return this.commands.execute(new RequestApproval({ action: 'credential.revoke', object, templateId, details }));
  }
}

@CommandHandler(CarryOutRevocation)
export class CarryOutRevocationHandler implements ICommandHandler<CarryOutRevocation> {
  constructor(private readonly commands: CommandBus) {}

  async execute({ object, details: { reason } }: CarryOutRevocation): Promise<CarriedOut> {
    const given = typeof reason === 'string' ? reason : undefined;
    const { isChanged } = await this.commands.execute(new ChangeValidity(object, 'revoke', given, {}, true));
    return isChanged ? undefined : { reason: 'done-already' };
  }
}
