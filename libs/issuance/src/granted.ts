import { FindGrant, type Grant } from '@app/offers';
import { OAuthError } from '@app/openid4vc';
import type { QueryBus } from '@nestjs/cqrs';
import type { AccessToken } from './wallet-tokens';

/** What the bearer of a token may fetch, by the clock of the database. Throws `OAuthError`. */
export async function grantOf(queries: QueryBus, { handleHash, expiresAt }: AccessToken): Promise<Grant> {
  const grant = await queries.execute(new FindGrant(handleHash));
  if (!grant || grant.now >= expiresAt) throw new OAuthError('invalid_token', 'The access token has expired.');
  return grant;
}
