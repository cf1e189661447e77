import { type AccessToken, WalletTokens } from '@app/authorization';
import { Settings } from '@app/config';
import type { Repository } from '@app/event-store';
import type { Grant } from '@app/offers';
import type { IssuableConfiguration } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import type { AskingAgain } from '../credential/credential-copies';

const day = 24 * 60 * 60 * 1000;

/** What the tokens of an authorization without an offer are good for. */
@Injectable()
export class AuthorizedGrants {
  constructor(
    @Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>,
    private readonly tokens: WalletTokens,
    private readonly settings: Settings,
  ) {}

  /** With the ids of the credentials that this token gives: a refreshed one gives them anew. */
  async asOf<G extends Grant>(token: AccessToken, grant: G): Promise<G> {
    const givenAt = this.tokens.issuedAt(token);
    const credentials = await Promise.all(
      grant.credentials.map(async (granted) => {
        const { state } = await this.credentials.load(granted.credentialId ?? '');
        const isRefreshed = state && 'issuedAt' in state && Date.parse(state.issuedAt) < givenAt.getTime();
        return isRefreshed ? { ...granted, credentialId: refreshedId(state.credentialId, givenAt) } : granted;
      }),
    );
    return { ...grant, credentials };
  }

  /**
   * How a wallet with this token may ask for a credential that it has. Only the tokens of codes are refreshed; what one of an
   * authorization without an offer then gives is a credential of its own.
   */
  againBy(token: AccessToken, { data }: Grant, { maxCopies }: Pick<IssuableConfiguration, 'maxCopies'>): AskingAgain {
    const mayBeRefreshed = token.grant.kind === 'authorization_code' && data !== 'authorization';
    const tokenGivenAt = mayBeRefreshed ? this.tokens.issuedAt(token) : undefined;
    const mostCopies = maxCopies ?? this.settings.issuance.maxCopies;
    return { isBoundToKey: token.thumbprint !== undefined, tokenGivenAt, mostCopies };
  }

  /** Until when the portal may submit data: the wallet asks again with other tokens of the same authorization. */
  submittableUntil(now: Date): Date {
    return new Date(now.getTime() + this.settings.issuance.deferralDays * day);
  }
}

/** The id of a credential of an authorization; it is known before the credential is there. */
export function authorizedId({ credentials }: Grant, { id }: Pick<IssuableConfiguration, 'id'>): string {
  const granted = credentials.find(({ configurationId }) => configurationId === id);
  if (granted?.credentialId === undefined) throw new Error('an authorization without the ids of its credentials');
  return granted.credentialId;
}

/** The id of the credential that a token gives which was refreshed at this time. */
export function refreshedId(firstId: string, givenAt: Date): string {
  return `${firstId}~${Math.floor(givenAt.getTime() / 1000).toString(36)}`;
}

/** When the token was refreshed that gave the credential; `undefined` for what the first one gave. */
export function refreshedAtOf(credentialId: string): Date | undefined {
  const [, seconds] = credentialId.split('~');
  return seconds === undefined ? undefined : new Date(parseInt(seconds, 36) * 1000);
}

/** The id of the credential that the first token gave. */
export function firstId(credentialId: string): string {
  return credentialId.split('~')[0] ?? credentialId;
}
