import { EventStore } from '@app/event-store';
import type { Grant } from '@app/offers';
import { refusalsIn, type TimelineEntry } from '@app/http';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  AwaitGrantedCredential,
  FindGrant,
  FindWalletRefusals,
  NoteRefusedWallet,
  ReportDenials,
  UseProofs,
} from './api';
import { type Authorizations, AUTHORIZATIONS } from './authorization';
import { GrantTypes } from './grants/grant-types';
import { GrantRefusals } from './refusals';
import { HeldAuthorizationRefusals } from './refused-wallets';
import { replayedProof } from './replayed-proof';

@QueryHandler(FindGrant)
export class FindGrantHandler implements IQueryHandler<FindGrant> {
  constructor(private readonly grants: GrantTypes) {}

  execute({ token }: FindGrant): Promise<Grant> {
    return Promise.resolve(this.grants.grantOf(token));
  }
}

@CommandHandler(AwaitGrantedCredential)
export class AwaitGrantedCredentialHandler implements ICommandHandler<AwaitGrantedCredential> {
  constructor(private readonly grants: GrantTypes) {}

  execute({ name, grant, configurationId, credentialId }: AwaitGrantedCredential): Promise<string | undefined> {
    return this.grants.awaitCredential(name, grant, configurationId, credentialId);
  }
}

@CommandHandler(ReportDenials)
export class ReportDenialsHandler implements ICommandHandler<ReportDenials> {
  constructor(private readonly grants: GrantTypes) {}

  execute({ name, denials }: ReportDenials): Promise<void> {
    return this.grants.recordDenials(name, denials);
  }
}

@CommandHandler(NoteRefusedWallet)
export class NoteRefusedWalletHandler implements ICommandHandler<NoteRefusedWallet> {
  constructor(private readonly refusals: GrantRefusals) {}

  execute({ name, exception, about }: NoteRefusedWallet): Promise<void> {
    return this.refusals.note(name, exception, about);
  }
}

@QueryHandler(FindWalletRefusals)
export class FindWalletRefusalsHandler implements IQueryHandler<FindWalletRefusals> {
  constructor(
    @Inject(AUTHORIZATIONS) private readonly authorizations: Authorizations,
    private readonly refused: HeldAuthorizationRefusals,
  ) {}

  async execute({ authorizationId, configurationId }: FindWalletRefusals): Promise<readonly TimelineEntry[]> {
    await this.refused.settle(authorizationId);
    return refusalsIn(await this.authorizations.events(authorizationId), configurationId);
  }
}

@CommandHandler(UseProofs)
export class UseProofsHandler implements ICommandHandler<UseProofs> {
  constructor(private readonly store: EventStore) {}

  execute({ uses }: UseProofs): Promise<void> {
    return Promise.resolve(this.store.consume(...uses)).catch((error: unknown) => {
      throw replayedProof(error) ?? error;
    });
  }
}
