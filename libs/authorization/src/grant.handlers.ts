import { EventStore } from '@app/event-store';
import type { Grant } from '@app/grants';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AwaitGrantedCredential, FindGrant, NoteRefusedWallet, ReportDenials, UseProofs } from './api';
import { GrantTypes } from './grants/grant-types';
import { Refusals } from './refusals';
import { replayedProof } from './replayed-proof';

@QueryHandler(FindGrant)
export class FindGrantHandler implements IQueryHandler<FindGrant> {
  constructor(private readonly grants: GrantTypes) {}

  execute({ token }: FindGrant): Promise<Grant> {
    return this.grants.grantOf(token);
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
  constructor(private readonly refusals: Refusals) {}

  execute({ name, exception, about }: NoteRefusedWallet): Promise<void> {
    return this.refusals.note(name, exception, about);
  }
}

@CommandHandler(UseProofs)
export class UseProofsHandler implements ICommandHandler<UseProofs> {
  constructor(private readonly store: EventStore) {}

  execute({ uses }: UseProofs): Promise<void> {
    return this.store.consume(...uses).catch((error: unknown) => {
      throw replayedProof(error) ?? error;
    });
  }
}
