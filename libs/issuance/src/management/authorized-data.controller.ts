import { type Answer, Implements, type Input, Resource } from '@app/http';
import { CommandBus } from '@nestjs/cqrs';
import { authorizedData } from './authorized-data.contract';
import { SubmitAuthorizedData } from './authorized-data.handlers';
import { credentialView } from './credentials.controller';

@Resource(authorizedData)
export class AuthorizedDataController {
  constructor(private readonly commands: CommandBus) {}

  @Implements(authorizedData.submit)
  async submit({
    params: { authorizationId },
    body,
  }: Input<typeof authorizedData.submit>): Promise<Answer<typeof authorizedData.submit>> {
    const { credentialConfigurationId, credentialSubject, expiresAt: given } = body;
    const expiresAt = given === undefined || given === 'never' ? given : new Date(given);
    const submitted = { authorizationId, credentialConfigurationId, claims: credentialSubject, expiresAt } as const;
    return credentialView(await this.commands.execute(new SubmitAuthorizedData(submitted)));
  }
}
