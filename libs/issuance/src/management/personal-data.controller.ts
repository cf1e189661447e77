import { Implements, type Input, Resource } from '@app/http';
import { CommandBus } from '@nestjs/cqrs';
import { EraseCredential } from './credential-erasure.handlers';
import { credentialPersonalData } from './personal-data.contract';

@Resource(credentialPersonalData)
export class CredentialPersonalDataController {
  constructor(private readonly commands: CommandBus) {}

  @Implements(credentialPersonalData.erase)
  async erase({ params: { credentialId }, conditions }: Input<typeof credentialPersonalData.erase>): Promise<void> {
    await this.commands.execute(new EraseCredential(credentialId, 'request', conditions));
  }
}
