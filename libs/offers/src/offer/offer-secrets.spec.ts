import { Authenticator, SealedTokens } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import { RedeemOffer } from '../api';
import type { Offer } from './offer';
import { OfferSecrets } from './offer-secrets';

const authenticator = new Authenticator(knownRootKeys());
const secrets = new OfferSecrets(authenticator, new SealedTokens(authenticator));
const fetched = new Date('2026-03-01T12:00:00Z');
const offer: Offer = {
  offerId: 'diploma-1',
  handleSalt: secrets.handles.newSalt(),
  expiresAt: '2026-03-08T12:00:00.000Z',
  extendableUntil: '2026-03-08T12:00:00.000Z',
  credentials: [],
  wrongTransactionCodes: 0,
  status: 'open',
};

describe('a pre-authorized code', () => {
  it('lives ten minutes from the fetch of the offer', () => {
    expect(secrets.readCode(secrets.issueCode(offer, fetched))).toEqual({
      grant: secrets.grantOf(offer),
      fetchedAt: fetched,
      expiresAt: new Date('2026-03-01T12:10:00Z'),
    });
  });

  it('is another one each time, also in one millisecond', () => {
    const codes = Array.from({ length: 100 }, () => secrets.issueCode(offer, fetched));
    expect(new Set(codes).size).toBe(100);
  });

  it('never lives longer than its offer, and says when it was fetched also then', () => {
    const late = new Date('2026-03-08T11:58:00Z');
    const read = secrets.readCode(secrets.issueCode(offer, late));
    expect([read?.fetchedAt, read?.expiresAt]).toEqual([late, new Date(offer.expiresAt)]);
  });

  it('is none of another service, and none with a character changed', () => {
    const other = new Authenticator(knownRootKeys(8));
    const foreign = new OfferSecrets(other, new SealedTokens(other)).issueCode(offer, fetched);
    expect(secrets.readCode(foreign)).toBeUndefined();
    const code = secrets.issueCode(offer, fetched);
    expect(secrets.readCode(`${code.startsWith('A') ? 'B' : 'A'}${code.slice(1)}`)).toBeUndefined();
  });
});

describe('a token request', () => {
  it('is another one with another code, client, choice of credentials or key', () => {
    const requests = [
      new RedeemOffer('code', undefined, undefined, undefined),
      new RedeemOffer('other', undefined, undefined, undefined),
      new RedeemOffer('code', undefined, ['diploma'], undefined),
      new RedeemOffer('code', undefined, undefined, 'wallet'),
      new RedeemOffer('code', undefined, undefined, undefined, 'key'),
      new RedeemOffer('code', undefined, undefined, undefined, 'other key'),
    ];
    const hashes = (): string[] => requests.map((request) => secrets.hashOfRequest(request));
    expect(new Set(hashes()).size).toBe(requests.length);
    expect(hashes()).toEqual(hashes());
  });
});

describe('the handle of an offer', () => {
  it('is in its address, and its codes name it', () => {
    const { handleSalt } = offer;
    const { handles } = secrets;
    expect(Buffer.from(handles.textOf({ handleSalt }), 'base64url')).toHaveLength(32);
    expect(handles.hashOfText(handles.textOf({ handleSalt }))).toEqual(handles.hashOf({ handleSalt }));
    const read = secrets.readCode(secrets.issueCode({ ...offer, handleSalt }, fetched));
    expect(read?.grant).toEqual(secrets.grantOf({ handleSalt }));
  });
});

describe('a transaction code', () => {
  it('matches itself only, and only at its own offer', () => {
    const { code, kept } = secrets.newTransactionCode({ inputMode: 'numeric', length: 6 }, offer.handleSalt);
    const guarded = { ...offer, transactionCode: kept };
    expect(code).toMatch(/^\d{6}$/);
    expect(secrets.judge(guarded, code)).toBe('matches');
    expect(secrets.judge(guarded, `${code}0`)).toBe('differs');
    expect(secrets.judge({ ...guarded, handleSalt: secrets.handles.newSalt() }, code)).toBe('differs');
    expect(secrets.judge(offer, code)).toBe('differs');
  });
});
