import type { TrustState } from '@app/identity';
import type { X509Certificate } from 'node:crypto';
import { judgeTrust } from './trust-check';

const now = new Date('2026-11-22T12:00:00Z');

function anchored(notAfter: string, changes: Partial<TrustState> = {}): TrustState {
  const certificate = { validTo: notAfter } as X509Certificate;
  const named = { name: 'Root', subject: 'CN=root', fingerprint: 'f', types: [] };
  return {
    anchors: [{ certificate, ...named, purposes: ['issuer', 'status'] }],
    faults: [],
    lateLists: [],
    ...changes,
  };
}

function endingAt(until: string): TrustState {
  const state = anchored('2027-06-01T00:00:00Z');
  return { ...state, anchors: state.anchors.map((anchor) => ({ ...anchor, until: new Date(until) })) };
}

const fault = { source: '/trust/root.pem', found: 'no certificate', remedy: 'write PEM in it' };

describe('trust', () => {
  it.each<[string, string, TrustState, string]>([
    ['ok', 'without authorities', { anchors: [], faults: [], lateLists: [] }, 'trusted by their names'],
    ['ok', 'with one', anchored('2027-06-01T00:00:00Z'), 'Root (issuer, status)'],
    ['warn', 'with one that ends soon', anchored('2026-12-01T00:00:00Z'), 'within 30 days: Root'],
    ['ok', 'with one of a list that ends in three days', endingAt('2026-11-25T12:00:00Z'), 'Root'],
    ['warn', 'with one of a list that ends tomorrow', endingAt('2026-11-23T12:00:00Z'), 'within 30 days: Root'],
    ['warn', 'with one of a list that has ended', endingAt('2026-11-21T12:00:00Z'), 'expired: Root'],
    ['warn', 'with an expired one', anchored('2026-11-01T00:00:00Z'), 'expired: Root'],
    [
      'warn',
      'with a list that ends soon',
      anchored('2027-06-01T00:00:00Z', {
        firstListEnd: new Date('2026-11-24T00:00:00Z'),
        lateLists: ['https://lists.example/pid'],
      }),
      'the first at 2026-11-24T00:00:00.000Z: https://lists.example/pid',
    ],
    [
      'fail',
      'with a faulty file',
      anchored('2027-06-01T00:00:00Z', { faults: [fault] }),
      '/trust/root.pem: no certificate',
    ],
  ])('is %s %s', (outcome, _, state, found) => {
    expect(judgeTrust(state, now)).toMatchObject({
      check: 'trust',
      outcome,
      found: expect.stringContaining(found) as string,
    });
  });
});
