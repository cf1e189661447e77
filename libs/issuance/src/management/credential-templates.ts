import type { Repository } from '@app/event-store';
import { TemplateLimits } from '@app/http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';

/** Tells of which template a credential is, for callers whose rights are for some templates alone. */
@Injectable()
export class CredentialTemplates implements OnModuleInit {
  constructor(
    private readonly limits: TemplateLimits,
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
  ) {}

  onModuleInit(): void {
    this.limits.knows('credentialId', async (id) => {
      const { state } = await this.credentials.load(id);
      if (!state) return undefined;
      return state.templateId === undefined ? [] : [state.templateId];
    });
  }
}
