import type { AuthorizationRequest } from '../request/request-record';
import { requestPageState } from './request-page-state';

const now = new Date('2026-11-20T10:00:00Z');
const open = { status: 'retrieved', expiresAt: '2026-11-20T11:00:00Z' } as AuthorizationRequest;
const changed = (changes: object): AuthorizationRequest => ({ ...open, ...changes });
const failedBy = (check: string) => ({ status: 'rejected', failure: { check, reason: '' } });

describe('what a person sees of a request', () => {
  it.each([
    ['retrieved', open],
    ['declined', changed(failedBy('wallet'))],
    ['rejected', changed(failedBy('holder-binding'))],
    ['expired', changed({ ...failedBy('wallet'), expiresAt: '2026-11-20T10:00:00Z' })],
    ['verified', changed({ status: 'verified', expiresAt: '2026-11-20T10:00:00Z' })],
    ['withheld', changed({ status: 'withheld' })],
    ['abandoned', changed({ status: 'withheld', expiresAt: '2026-11-20T10:00:00Z' })],
    ['abandoned', changed({ ...failedBy('session'), status: 'abandoned' })],
  ])('is %s', (state, request) => {
    expect(requestPageState(request, now)).toBe(state);
  });
});
