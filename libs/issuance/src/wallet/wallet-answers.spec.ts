import { type AccessToken, WalletTokens } from '@app/authorization';
import { Settings } from '@app/config';
import type { EventStore } from '@app/event-store';
import type { GrantName } from '@app/offers';
import { Authenticator, hashOfSecret, SealedTokens } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import { WalletAnswers } from './wallet-answers';

const now = new Date('2026-03-01T12:00:00Z');
const expiresAt = new Date('2026-03-31T12:00:00Z');
const tokens = new WalletTokens(new SealedTokens(new Authenticator(knownRootKeys())), new Settings());
const answersOf = (changes: Partial<Settings> = {}) =>
  new WalletAnswers(tokens, { clock: () => now } as EventStore, Object.assign(new Settings(), changes));

function deferred(kind: GrantName['kind'], bound: Pick<AccessToken, 'thumbprint'> = {}): unknown {
  const pending = { outcome: 'pending', index: 0, requestedAt: now, submittableUntil: expiresAt, now } as const;
  const named = { by: 'configuration', configurationId: 'diploma' } as const;
  const request = { requestClass: 'L11', endpoint: 'draft-13', named } as const;
  const token = { grant: { kind, hash: hashOfSecret('handle') }, expiresAt, submittableUntil: expiresAt, ...bound };
  return answersOf().deferred({ ...pending, request }, token).body;
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

describe('the answer to a wallet that collects what it waited for', () => {
  const named = { by: 'configuration', configurationId: 'diploma' } as const;
  const token = { grant: { kind: 'pre-authorized_code', hash: hashOfSecret('handle') }, expiresAt } as const;
  const issued = { outcome: 'issued', credentials: ['a.b.c~'], index: 0, issue: 0, isOnly: true, now } as const;
  const collected = (endpoint: 'final' | 'draft-13', isEncrypted: boolean, haip = false) => {
    const request = { requestClass: 'F', endpoint, named } as const;
    return answersOf({ haip }).collected({ ...issued, request }, { ...token, submittableUntil: expiresAt }, isEncrypted)
      .body;
  };

  it('has a notification id unless a wallet of 1.0 may lose the credential for it', () => {
    expect(collected('draft-13', false)).toHaveProperty('notification_id');
    expect(collected('final', false)).not.toHaveProperty('notification_id');
    expect(collected('final', true)).toHaveProperty('notification_id');
    expect(collected('final', false, true)).toHaveProperty('notification_id');
  });
});
