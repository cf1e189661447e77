import type { Repository } from '@app/event-store';
import type { JsonObject } from '@app/primitives/json';
import { Problem } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { namedBy, type RequestedExpiry } from '../content/credential-input';
import { PrepareCredential } from '../api';

/** More are not named to a portal that has to choose one. */
const mostNamed = 10;

/** Data for a credential that a wallet has asked for by itself, and waits for. Throws `not-found`, `conflict` and as `PrepareCredential`. */
export class SubmitAuthorizedData extends Command<Credential> {
  constructor(
    readonly data: {
      readonly authorizationId: string;
      /** Needed when the wallet waits for several. */
      readonly credentialConfigurationId: string | undefined;
      readonly claims: JsonObject;
      readonly expiresAt: RequestedExpiry;
    },
  ) {
    super();
  }
}

@CommandHandler(SubmitAuthorizedData)
export class SubmitAuthorizedDataHandler implements ICommandHandler<SubmitAuthorizedData> {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly commands: CommandBus,
  ) {}

  async execute({ data }: SubmitAuthorizedData): Promise<Credential> {
    const { authorizationId, claims, expiresAt } = data;
    const { credentialId, templateId, configurationId } = await this.awaited(data);
    const named = namedBy(configurationId, templateId);
    const place = { authorizationId, credentialId };
    const input = { place, named, credential: { credentialSubject: claims }, isSubjectAlone: true, expiresAt } as const;
    try {
      const { credential } = await this.commands.execute(new PrepareCredential(input));
      return credential;
    } catch (error) {
      throw error instanceof Problem ? inThisBody(error) : error;
    }
  }

  private async awaited({ authorizationId, credentialConfigurationId: wanted }: SubmitAuthorizedData['data']) {
    const where = { authorizationId, ...(wanted !== undefined && { configurationId: wanted }) };
    const parent = authorizationId;
    const waiting = await this.credentials.list({ parent, where: { ...where, status: 'Requested' }, limit: mostNamed });
    const [first, another] = waiting.items;
    if (another) {
      const ids = waiting.items.map(({ state }) => state.configurationId).join(', ');
      throw new Problem('conflict', `The wallet waits for several: name one by credentialConfigurationId (${ids}).`);
    }
    if (first) return first.state;
    const known = await this.credentials.list({ parent, where, limit: 1 });
    throw known.items.length > 0
      ? new Problem('conflict', 'The credential has its data already, or was denied.')
      : new Problem('not-found', 'No wallet has asked for such a credential with this authorization.');
  }
}

/** The faults at their places in this body, which is the content of `credential` in others. */
function inThisBody({ slug, detail, violations }: Problem): Problem {
  const moved = violations.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/credential(?=\/)/, '') }));
  // The detail names places after a blank, or at its beginning.
  return new Problem(slug, detail.replace(/(?<=^| )\/credential(?=\/credentialSubject)/g, ''), moved);
}
