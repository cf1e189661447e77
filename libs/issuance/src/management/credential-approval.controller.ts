import { Implements, type Input, Resource } from '@app/http';
import { CommandBus } from '@nestjs/cqrs';
import { ApproveCredential } from './approval.handlers';
import { credentialApproval } from './credential-approval.contract';

@Resource(credentialApproval)
export class CredentialApprovalController {
  constructor(private readonly commands: CommandBus) {}

  @Implements(credentialApproval.approve)
  async approve({ params: { credentialId }, conditions }: Input<typeof credentialApproval.approve>): Promise<void> {
    await this.commands.execute(new ApproveCredential(credentialId, conditions));
  }
}
