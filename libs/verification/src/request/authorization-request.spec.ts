import { Problem } from '@app/primitives/problems';
import {
  acceptPresentation,
  askForPresentation,
  authorizationRequestAggregate,
  declineRequest,
  expireRequest,
  openVariant,
  requestStatus,
  rejectPresentation,
  retrieveRequest,
} from './authorization-request';
import type { AuthorizationRequest, AuthorizationRequestEvent } from './request-record';
import { comeBackToPage, isReleased, redeemResponseCode, returnToPage } from '../management/response-code';
import type { StoredTerms } from './request-terms';

const now = new Date('2026-11-20T10:00:00Z');
const later = new Date('2026-11-20T12:00:00Z');
const terms: StoredTerms = {
  state: 's1',
  handleSalt: 'c2FsdA',
  responseType: 'vp_token',
  responseMode: 'direct_post',
  clientIdPrefix: 'decentralized_identifier',
  variants: [
    { variant: 'final', nonce: 'n1' },
    { variant: 'draft-20', nonce: 'n2' },
  ],
  sealedTerms: 'terms',
  expiresAt: '2026-11-20T11:00:00.000Z',
};
const failure = { check: 'nonce', reason: 'the nonce is another one' };
const result = { sealedResult: 'sealed', checks: [] };
const words = { error: 'access_denied', sealedWords: 'sealed' };

function after(...events: readonly AuthorizationRequestEvent[]): AuthorizationRequest {
  const request = events.reduce<AuthorizationRequest | undefined>(
    (state, event) => authorizationRequestAggregate.evolve(state, event),
    undefined,
  );
  if (!request) throw new Error('no events');
  return request;
}
const final = { variant: 'final', now } as const;
const asked = askForPresentation(undefined, terms);
const pending = after(...asked);
const verified = after(...asked, ...acceptPresentation(pending, final, result).events);

describe('an authorization request', () => {
  it('that was erased can no longer be answered', () => {
    const erased = after(...asked, { type: 'PersonalDataErased', erasedAt: now.toISOString(), cause: 'request' });
    expect(openVariant(pending, 'final', now)).toBeDefined();
    expect(openVariant(erased, 'final', now)).toBeUndefined();
    expect(acceptPresentation(erased, final, result)).toEqual({ events: [], refusal: 'not-open' });
  });

  it('with a retention is to be erased that long after it was verified, or else expired', () => {
    const limited = askForPresentation(undefined, { ...terms, retention: 'P1D' });
    const open = after(...limited);
    expect(open.eraseAt).toBe('2026-11-21T11:00:00.000Z');
    const answered = after(...limited, ...acceptPresentation(open, final, result).events);
    expect([answered.eraseAt, pending.eraseAt]).toEqual(['2026-11-21T10:00:00.000Z', undefined]);
  });

  it('is made once for each state', () => {
    expect(requestStatus(pending, now)).toBe('pending');
    expect(() => askForPresentation(pending, terms)).toThrow(Problem);
  });

  it('is retrieved as often as the wallet likes and notes the first time of each variant', () => {
    const retrieved = after(...asked, ...retrieveRequest(pending, 'final', now));
    expect(requestStatus(retrieved, now)).toBe('retrieved');
    expect(retrieveRequest(retrieved, 'final', now)).toEqual([]);
    expect(retrieveRequest(retrieved, 'draft-20', now)).toHaveLength(1);
  });

  it('can be answered after a bad answer, and then forgets why that one was refused', () => {
    const rejected = after(...asked, ...rejectPresentation(pending, final, failure).events);
    expect(rejected).toMatchObject({ status: 'rejected', failure });
    expect(openVariant(rejected, 'final', now)).toBeDefined();
    const accepted = after(
      ...asked,
      ...rejectPresentation(pending, final, failure).events,
      ...acceptPresentation(pending, final, result).events,
    );
    expect(accepted).not.toHaveProperty('failure');
    expect(requestStatus(accepted, now)).toBe('verified');
  });

  it.each([
    ['bad answers', (request: AuthorizationRequest) => rejectPresentation(request, final, failure)],
    ['declining', (request: AuthorizationRequest) => declineRequest(request, final, words)],
  ])('keeps a bounded number of marks of %s', (_what, answerTo) => {
    let request = pending;
    let marks = 0;
    for (let answer = 0; answer < 100; answer += 1) {
      const { events } = answerTo(request);
      marks += events.length;
      request = events.reduce((state, event) => authorizationRequestAggregate.evolve(state, event), request);
    }
    expect(marks).toBe(20);
    expect(openVariant(request, 'final', now)).toBeDefined();
  });

  it('is closed for every variant by a good answer to one', () => {
    expect(openVariant(verified, 'final', now)).toBeUndefined();
    expect(openVariant(verified, 'draft-20', now)).toBeUndefined();
  });

  it.each([
    ['was answered', verified, final],
    ['has expired', pending, { ...final, now: later }],
    ['never had the variant', pending, { ...final, variant: 'siopv2' as const }],
  ])('takes no answer of any kind when it %s', (_why, request, answer) => {
    const refused = { events: [], refusal: 'not-open' };
    expect(acceptPresentation(request, answer, result)).toEqual(refused);
    expect(rejectPresentation(request, answer, failure)).toEqual(refused);
    expect(declineRequest(request, answer, words)).toEqual(refused);
  });

  it('stays open in every variant when a wallet declines, with the reason', () => {
    const declined = after(...asked, ...declineRequest(pending, final, words).events);
    expect(openVariant(declined, 'final', now)).toMatchObject({ nonce: 'n1' });
    expect(openVariant(declined, 'draft-20', now)).toMatchObject({ nonce: 'n2' });
    expect(openVariant(declined, 'final', later)).toBeUndefined();
    expect(declined).toMatchObject({ status: 'rejected', failure: { check: 'wallet', reason: 'access_denied' } });
  });

  it('expires by the clock alone, unless it was answered', () => {
    expect(requestStatus(pending, later)).toBe('expired');
    expect(openVariant(pending, 'final', later)).toBeUndefined();
    expect(requestStatus(verified, later)).toBe('verified');
  });

  it('has its expiry recorded once, by then and never before, unless it was answered', () => {
    const record = { type: 'RequestExpired', expiresAt: terms.expiresAt } as const;
    expect(expireRequest(pending, later)).toEqual([record]);
    expect(expireRequest(pending, now)).toEqual([]);
    expect(expireRequest(verified, later)).toEqual([]);
    const declined = declineRequest(pending, final, words).events;
    const expired = after(...asked, ...declined, record);
    expect(expireRequest(expired, later)).toEqual([]);
    expect(requestStatus(expired, later)).toBe('expired');
    expect(openVariant(expired, 'final', now)).toBeUndefined();
    expect(expired).toMatchObject({ failure: { check: 'wallet', reason: 'access_denied' } });
  });

  it('keeps neither what was presented nor the key it was encrypted to in its state: the events have them', () => {
    const encrypted = { ...terms, sealedDecryptionKey: 'sealed key' };
    const open = after(...askForPresentation(undefined, encrypted));
    expect(open).toMatchObject({ sealedDecryptionKey: 'sealed key' });
    const answered = after(
      { type: 'AuthorizationRequested', ...encrypted },
      ...acceptPresentation(open, final, result).events,
    );
    expect(JSON.stringify(answered)).not.toMatch(/sealed(Result|DecryptionKey)|sealed key/);
  });

  it('has no variant that could not be derived', () => {
    expect(openVariant(pending, 'siopv2', now)).toBeUndefined();
  });
});

describe('the result of an answer on the same device', () => {
  const inFourMinutes = new Date('2026-11-20T10:04:59.999Z');
  const inFiveMinutes = new Date('2026-11-20T10:05:00.000Z');
  const answer = acceptPresentation(pending, final, { ...result, responseCodeHash: 'h' }).events;
  const waiting = after(...asked, ...answer);
  const none = { events: [], result: false };

  it('waits for its response code, and is released by it once', () => {
    expect(isReleased(verified)).toBe(true);
    expect(isReleased(waiting)).toBe(false);
    expect([requestStatus(waiting, inFourMinutes), openVariant(waiting, 'final', now)]).toEqual([
      'verified',
      undefined,
    ]);
    expect(() => redeemResponseCode(waiting, 'other', now)).toThrow('response code');
    const released = after(...asked, ...answer, ...redeemResponseCode(waiting, 'h', inFourMinutes));
    expect(isReleased(released)).toBe(true);
    expect([requestStatus(released, later), released.expiresAt]).toEqual(['verified', terms.expiresAt]);
    expect(() => redeemResponseCode(released, 'h', now)).toThrow('was used before');
    expect(expireRequest(released, later)).toEqual([]);
  });

  it('is never shown after five minutes: the request is rejected, and stays so', () => {
    expect(() => redeemResponseCode(waiting, 'h', inFiveMinutes)).toThrow('has expired');
    expect([requestStatus(waiting, inFiveMinutes), openVariant(waiting, 'final', now)]).toEqual([
      'rejected',
      undefined,
    ]);
    expect(expireRequest(waiting, inFourMinutes)).toEqual([]);
    const record = expireRequest(waiting, inFiveMinutes);
    expect(record).toMatchObject([{ type: 'PresentationAbandoned', returnBy: inFiveMinutes.toISOString() }]);
    const abandoned = after(...asked, ...answer, ...record);
    expect(abandoned).toMatchObject({ expiresAt: terms.expiresAt, failure: { check: 'session' } });
    expect([requestStatus(abandoned, later), expireRequest(abandoned, later)]).toEqual(['rejected', []]);
    expect(() => redeemResponseCode(abandoned, 'h', now)).toThrow('has expired');
    expect([isReleased(abandoned), openVariant(abandoned, 'draft-20', now)]).toEqual([false, undefined]);
  });

  describe('that returns to the page', () => {
    const begun = askForPresentation(undefined, { ...terms, returnToPage: true });
    const bound = acceptPresentation(after(...begun), final, { ...result, responseCodeHash: 'h', session: 's' }).events;
    const request = after(...begun, ...bound);

    it('is released to the browser whose page had the link, once and in time', () => {
      const right = { codeHash: 'h', session: 's' };
      expect(returnToPage(request, right, inFiveMinutes)).toEqual({ events: [], result: false });
      const { events, result: isBack } = returnToPage(request, right, inFourMinutes);
      const released = after(...begun, ...bound, ...events);
      expect([isBack, isReleased(released)]).toEqual([true, true]);
      expect(returnToPage(released, right, now)).toEqual({ events: [], result: false });
    });

    it('is released neither to the portal nor to a browser that does not know the code', () => {
      expect(() => redeemResponseCode(request, 'h', now)).toThrow('response code');
      expect(returnToPage(request, { codeHash: 'x', session: 's' }, now)).toEqual({ events: [], result: false });
      expect(returnToPage(waiting, { codeHash: 'h', session: undefined }, now).result).toBe(false);
    });

    it.each([undefined, 'other'])('notes three times that the code came back in another browser: %s', (session) => {
      let refused = request;
      for (let times = 0; times < 5; times += 1) {
        const { events, result: isBack } = returnToPage(refused, { codeHash: 'h', session }, now);
        expect([isBack, events]).toEqual([false, times < 3 ? [{ type: 'ReturnRefused' }] : []]);
        refused = events.reduce((state, event) => authorizationRequestAggregate.evolve(state, event), refused);
      }
      const [record] = expireRequest(refused, inFiveMinutes);
      expect(record).toMatchObject({
        failure: { check: 'session', reason: expect.stringContaining('another browser') as unknown },
      });
      expect(returnToPage(refused, { codeHash: 'h', session: 's' }, now).result).toBe(true);
    });
  });

  it('that a page of this service asked for is released by the return to that page alone, once and in time', () => {
    const begun = askForPresentation(undefined, { ...terms, isAskedInPage: true });
    const request = after(...begun, ...answer);
    expect(() => redeemResponseCode(request, 'h', now)).toThrow('not by a response code');
    expect([comeBackToPage(request, 'x', now), comeBackToPage(request, 'h', inFiveMinutes)]).toEqual([none, none]);
    expect(comeBackToPage(waiting, 'h', now)).toEqual(none);
    const { events, result: isBack } = comeBackToPage(request, 'h', inFourMinutes);
    const released = after(...begun, ...answer, ...events);
    expect([isBack, isReleased(released)]).toEqual([true, true]);
    expect(comeBackToPage(released, 'h', now)).toEqual(none);
  });
});
