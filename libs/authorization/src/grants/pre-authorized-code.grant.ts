import {
  type Denial,
  type Grant,
  type GrantName,
  AwaitCredential,
  FindGrantOfOffer,
  NoteRefusal,
  RecordDenials,
  RecordLostAnswer,
  type Redeemed,
  RedeemOffer,
} from '@app/offers';
import { OAuthError, type PreAuthorizedCodeRequest, type RefusedStep, type TokenRequest } from '@app/openid4vc';
import { RateLimiter } from '@app/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { tooManyRequests } from '../too-many-requests';
import type { GrantedBy, GrantType, NewGrant, Requester } from './grant-type';

type Request = TokenRequest & PreAuthorizedCodeRequest;
type RedemptionRefused = Extract<Redeemed, { outcome: 'refused' }>;

/** The pre-authorized code grant (OpenID4VCI 1.0 §3.5): an offer makes the grant when its code is redeemed. */
@Injectable()
export class PreAuthorizedCodeGrant implements GrantType<Request> {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly limiter: RateLimiter,
  ) {}

  async redeem(request: Request, { address, client, key }: Requester): Promise<NewGrant> {
    const { preAuthorizedCode, transactionCode, requestedConfigurationIds } = request;
    // A pre-authorized code is not guessed, so a wallet that needs no transaction code never meets a limit.
    if (transactionCode !== undefined) this.refuseTooManyGuesses(address);
    const uses = [...(client?.uses ?? []), ...(key?.uses ?? [])];
    const redeemed = await this.commands.execute(
      new RedeemOffer(
        preAuthorizedCode,
        transactionCode,
        requestedConfigurationIds,
        client?.clientId,
        key?.thumbprint,
        uses,
      ),
    );
    if (redeemed.outcome === 'refused') {
      if (redeemed.reason === 'transaction-code-wrong') await this.limiter.count('wrong-transaction-code', address);
      throw errorOf(redeemed);
    }
    const { grant: name, configurationIds, isDeferred, redeemedAt: grantedAt, now } = redeemed;
    const identifiersGiven = requestedConfigurationIds !== undefined;
    return { name, configurationIds, identifiersGiven, isDeferred, grantedAt, now };
  }

  find(name: GrantName): Promise<Grant | undefined> {
    return this.queries.execute(new FindGrantOfOffer(name));
  }

  async awaitCredential(grant: Grant, configurationId: string, credentialId: string): Promise<string | undefined> {
    if (grant.data === 'authorization') throw new Error('a grant of an offer without the offer');
    return this.commands.execute(new AwaitCredential(grant.offerId, configurationId, credentialId));
  }

  recordDenials(name: GrantName, denials: readonly Denial[]): Promise<void> {
    return this.commands.execute(new RecordDenials(name, denials));
  }

  async noteRefusal(by: GrantedBy, refusal: RefusedStep): Promise<void> {
    if ('kind' in by) await this.commands.execute(new NoteRefusal(by, refusal));
    else if (by.preAuthorizedCode !== undefined) {
      await this.commands.execute(new NoteRefusal({ preAuthorizedCode: by.preAuthorizedCode }, refusal));
    }
  }

  recordLostAnswer(name: GrantName): Promise<void> {
    return this.commands.execute(new RecordLostAnswer(name));
  }

  /** Rejects correct transaction codes, too: the answer would reveal which guess was correct. */
  private refuseTooManyGuesses(address: string): void {
    const seconds = this.limiter.secondsToWait('wrong-transaction-code', address);
    if (seconds !== undefined) throw tooManyRequests('wrong transaction codes', seconds, 'too-many-wrong-codes');
  }
}

function errorOf({ reason, triesLeft = 0 }: RedemptionRefused): OAuthError {
  switch (reason) {
    case 'transaction-code-missing':
      return new OAuthError('invalid_request', 'This offer needs the transaction code: send it as tx_code.', {
        reason,
      });
    case 'transaction-code-unexpected':
      return new OAuthError('invalid_request', 'This offer has no transaction code: leave out tx_code.', { reason });
    case 'transaction-code-wrong':
      return new OAuthError('invalid_grant', `The transaction code is wrong. ${leftOf(triesLeft)}`, { reason });
    case 'configuration-not-offered':
      return new OAuthError(
        'invalid_authorization_details',
        'authorization_details names a credential configuration that is not part of the offer.',
        { reason },
      );
    case 'not-issued':
      return new OAuthError(
        'invalid_grant',
        'The credentials of this offer are not issued at present; ask the issuer.',
        { reason },
      );
    case 'unknown-code':
    case 'not-open':
      // One answer for a code that never was, has expired, was used or was locked.
      return new OAuthError('invalid_grant', 'The pre-authorized code is unknown, expired or used.', { reason });
  }
}

/** Whoever holds the code of the offer learns as much by trying (OpenID4VCI 1.0 §6.3). */
function leftOf(tries: number): string {
  if (tries === 0) return 'The offer is locked; ask the issuer for a new one.';
  return tries === 1 ? 'One try is left.' : `${tries} tries are left.`;
}
