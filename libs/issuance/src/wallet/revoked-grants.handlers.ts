import { FindRevoked } from '@app/authorization';
import type { Repository } from '@app/event-store';
import { allThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';

/** More than there can be: none is given anew once one was revoked. */
const most = 200;

@QueryHandler(FindRevoked)
export class FindRevokedHandler implements IQueryHandler<FindRevoked> {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>) {}

  async execute({ of }: FindRevoked): Promise<string[]> {
    const found = await ('authorizationId' in of ? this.ofAuthorization(of.authorizationId) : this.withIds(of));
    return found.flatMap((one) => ('validity' in one && one.validity === 'Revoked' ? [one.configurationId] : []));
  }

  private async ofAuthorization(authorizationId: string): Promise<Credential[]> {
    const where = { authorizationId, validity: 'Revoked' };
    const { items } = await this.credentials.list({ parent: authorizationId, where, limit: most });
    return items.map(({ state }) => state);
  }

  private async withIds({
    credentialIds,
  }: Extract<FindRevoked['of'], { credentialIds: unknown }>): Promise<Credential[]> {
    const loaded = await allThere(credentialIds.map((id) => this.credentials.load(id)));
    return loaded.flatMap(({ state }) => state ?? []);
  }
}
