import { type AccessToken, WalletTokens } from '@app/authorization';
import { Settings } from '@app/config';
import type { EventStore } from '@app/event-store';
import type { GrantName } from '@app/grants';
import { Authenticator, hashOfSecret, SealedTokens } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import { WalletAnswers } from './wallet-answers';

const now = new Date('2026-03-01T12:00:00Z');
const expiresAt = new Date('2026-03-31T12:00:00Z');
const tokens = new WalletTokens(new SealedTokens(new Authenticator(knownRootKeys())), new Settings());
const answers = new WalletAnswers(tokens, { clock: () => now } as EventStore, new Settings());

function deferred(kind: GrantName['kind'], bound: Pick<AccessToken, 'thumbprint'> = {}): unknown {
  const pending = { outcome: 'pending', index: 0, requestedAt: now, submittableUntil: expiresAt, now } as const;
  const named = { by: 'configuration', configurationId: 'diploma' } as const;
  const request = { requestClass: 'L11', endpoint: 'draft-13', named } as const;
  const token = { grant: { kind, hash: hashOfSecret('handle') }, expiresAt, submittableUntil: expiresAt, ...bound };
  return answers.deferred({ ...pending, request }, token).body;
}

describe('the answer to a wallet of draft 11 that has to wait', () => {
  it('has an acceptance token, which is a bearer token, only where the access token is one that knows it', () => {
    expect(deferred('pre-authorized_code')).toHaveProperty('acceptance_token');
    const bound = deferred('pre-authorized_code', { thumbprint: hashOfSecret('key') });
    expect(bound).toHaveProperty('transaction_id');
    expect(bound).not.toHaveProperty('acceptance_token');
    expect(deferred('authorization_code')).not.toHaveProperty('acceptance_token');
  });
});
