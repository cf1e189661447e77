import { Settings } from '@app/config';
import { Authenticator, hashOfSecret, SealedTokens } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { GrantName } from '@app/offers';
import { WalletTokens } from './wallet-tokens';

const sealed = new SealedTokens(new Authenticator(knownRootKeys()));
const tokens = new WalletTokens(sealed, new Settings());
const now = new Date('2026-03-01T12:00:00Z');
const expiresAt = new Date('2026-03-01T12:05:00Z');
const grant: GrantName = { kind: 'pre-authorized_code', hash: hashOfSecret('handle') };
const other: GrantName = { kind: 'pre-authorized_code', hash: hashOfSecret('another handle') };

describe('an access token', () => {
  it('names its grant, and the client it was given to', () => {
    expect(tokens.readAccessToken(tokens.issueAccessToken(grant, now, {}, false))).toMatchObject({
      grant,
      expiresAt,
    });
    const token = tokens.issueAccessToken(grant, now, { clientId: 'wallet' }, false);
    expect(tokens.readAccessToken(token)).toMatchObject({ grant, clientHash: hashOfSecret('wallet'), expiresAt });
    const thumbprint = hashOfSecret('key').toString('base64url');
    const bound = tokens.readAccessToken(tokens.issueAccessToken(grant, now, { thumbprint }, false));
    expect(bound).toMatchObject({ grant, thumbprint: hashOfSecret('key') });
    expect(bound).not.toHaveProperty('clientHash');
  });

  it('is read by releases that know the hash of a handle only, and theirs is read here', () => {
    const token = tokens.issueAccessToken(grant, now, {}, false);
    expect(sealed.read('access-token', token, 32, now)).toEqual({ body: grant.hash, expiresAt });
    const earlier = sealed.issue('access-token', grant.hash, expiresAt);
    expect(tokens.readAccessToken(earlier)).toMatchObject({ grant, expiresAt });
    const nonce = sealed.issue('c_nonce', Buffer.alloc(32), expiresAt, grant.hash.toString('hex'));
    expect(tokens.readNonce(nonce, grant, now)).toMatchObject({ expiresAt });
    const id = sealed.issue('notification', Buffer.from([0, 3]), expiresAt, grant.hash.toString('hex'));
    expect(tokens.readNotificationId(id, grant, now)).toEqual({ index: 3, issue: 0 });
  });

  it('is refused when it was not issued here', () => {
    expect(tokens.readAccessToken('abc')).toBeUndefined();
  });
});

describe('a nonce and a notification id', () => {
  it('are good for their own grant, and a nonce for anyone serves every grant', () => {
    const bound = tokens.issueNonce(now, grant);
    expect(tokens.readNonce(bound, grant, now)).toMatchObject({ kind: 'c_nonce', hash: hashOfSecret(bound) });
    expect(tokens.readNonce(bound, other, now)).toBeUndefined();
    expect(tokens.readNonce(tokens.issueNonce(now), other, now)).toBeDefined();
    for (const place of [
      { index: 258, issue: 0 },
      { index: 0, issue: 29 },
    ]) {
      const id = tokens.issueNotificationId(place, grant, now);
      expect(tokens.readNotificationId(id, grant, now)).toEqual(place);
      expect(tokens.readNotificationId(id, other, now)).toBeUndefined();
    }
  });
});
