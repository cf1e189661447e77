import { NoteRefusedWallet, type RefusedRequest } from '@app/authorization';
import type { GrantName } from '@app/offers';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CredentialDenied } from './credential-denied';

/** Lets the portal see why the bearer of an access token was refused. */
@Injectable()
export class CredentialRefusals {
  constructor(private readonly commands: CommandBus) {}

  /** Resolves before anything is recorded, so that the answer of the wallet does not wait for it. */
  async note(grant: GrantName, exception: unknown, about: Omit<RefusedRequest, 'configurationId'>): Promise<void> {
    const denied = exception instanceof CredentialDenied && { configurationId: exception.denials[0].configurationId };
    await this.commands.execute(new NoteRefusedWallet(grant, exception, { ...about, ...denied }));
  }
}
