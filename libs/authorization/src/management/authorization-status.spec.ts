import type { Authorization } from '../authorization';
import { authorizationStatus, authorizationStatuses, authorizationsStoredAs } from './authorization-status';

const completableUntil = '2027-01-01T00:11:00.000Z';
const stored = ['pushed', 'identified', 'code-issued', 'redeemed', 'refused', 'revoked'] as const;

/** Of the members, those that the status depends on. */
function authorization(status: (typeof stored)[number]): Authorization {
  return { status, completableUntil } as Authorization;
}

describe('the status of an authorization', () => {
  it('is expired at the time until which the person could agree, unless somebody has decided', () => {
    const before = new Date(Date.parse(completableUntil) - 1);
    const statuses = (now: Date) => stored.map((status) => authorizationStatus(authorization(status), now));
    const decided = ['consented', 'redeemed', 'refused', 'revoked'];
    expect(statuses(before)).toEqual(['requested', 'identified', ...decided]);
    expect(statuses(new Date(completableUntil))).toEqual(['expired', 'expired', ...decided]);
  });

  it.each([
    ['before', -1, 'future'],
    ['after', 1, 'past'],
  ] as const)('is the one by which lists find it, %s its time', (_when, milliseconds, due) => {
    const now = new Date(Date.parse(completableUntil) + milliseconds);
    for (const one of stored) {
      const listedAs = authorizationStatuses.filter((status) => {
        const { statuses, expiry = due } = authorizationsStoredAs(status);
        return statuses.includes(one) && expiry === due;
      });
      expect(listedAs).toEqual([authorizationStatus(authorization(one), now)]);
    }
  });
});
