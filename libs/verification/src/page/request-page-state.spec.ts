import type { AuthorizationRequest } from '../request/request-record';
import { requestPageState } from './request-page-state';

const now = new Date('2026-11-20T10:00:00Z');
const open = { status: 'retrieved', expiresAt: '2026-11-20T11:00:00Z' } as AuthorizationRequest;
const failedBy = (check: string) =>
  ({ ...open, status: 'rejected', failure: { check, reason: '' } }) as AuthorizationRequest;

describe('what a person sees of a request', () => {
  it.each([
    ['retrieved', open],
    ['declined', failedBy('wallet')],
    ['rejected', failedBy('holder-binding')],
    ['expired', { ...failedBy('wallet'), expiresAt: '2026-11-20T10:00:00Z' }],
    ['verified', { ...open, status: 'verified', expiresAt: '2026-11-20T10:00:00Z' }],
    ['withheld', { ...open, status: 'withheld' }],
    ['abandoned', { ...open, status: 'withheld', expiresAt: '2026-11-20T10:00:00Z' }],
    ['abandoned', { ...failedBy('session'), status: 'abandoned' }],
  ])('is %s', (state, request) => {
    expect(requestPageState(request, now)).toBe(state);
  });
});
