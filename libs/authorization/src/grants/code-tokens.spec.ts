import { Settings } from '@app/config';
import { Authenticator, SealedTokens } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { QueryBus } from '@nestjs/cqrs';
import { AuthorizationSecrets } from '../authorization-secrets';
import { WalletTokens } from '../wallet-tokens';
import { CodeTokens } from './code-tokens';

const authenticator = new Authenticator(knownRootKeys());
const sealed = new SealedTokens(authenticator);
const settings = new Settings();
const secrets = new AuthorizationSecrets(authenticator, sealed);
const tokens = new CodeTokens({} as QueryBus, settings, secrets, new WalletTokens(sealed, settings));
const day = 24 * 60 * 60 * 1000;
const now = new Date('2026-03-01T12:00:00Z');
const key = { thumbprint: 'key', uses: [] };

it('a grant ends with the last token that the wallet can refresh, or with the only one', () => {
  const lastRefresh = new Date(now.getTime() + 90 * day);
  expect(tokens.endOfGrant({ address: '', key }, now)).toEqual(tokens.endOfToken(lastRefresh));
  expect(tokens.endOfGrant({ address: '' }, now)).toEqual(tokens.endOfToken(now));
});
