import {
  type Credential,
  credentialAggregate,
  type CredentialEvent,
  type CredentialTerms,
  issueCredential,
  notifyCredential,
  requestCredential,
  type RequestedTerms,
} from './credential';
import { hasServed } from './credential-collection';
import { denyCredential } from './credential-denial';
import { submitCredential } from '../content/credential-submission';

const now = new Date('2026-11-20T10:00:00Z');
const overdue = new Date('2026-12-20T10:00:00Z');
const terms: RequestedTerms = {
  credentialId: 'c1',
  offerId: '001',
  configurationId: 'diploma',
  templateId: 'diploma',
  format: 'jwt_vc_json',
  createdAt: '2026-11-20T09:00:00.000Z',
  requestedAt: '2026-11-20T09:00:00.000Z',
  submittableUntil: '2026-12-20T10:00:00.000Z',
  sealedRequest: 'sealed request',
};
const data: CredentialTerms = {
  credentialId: 'c1',
  offerId: '001',
  configurationId: 'diploma',
  templateId: 'diploma',
  format: 'jwt_vc_json',
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: null,
  sealedContent: 'sealed content',
};
const issue = { holders: [{ thumbprint: 'k1', did: undefined }], named: undefined, awaitedBy: ['k1'], now };
const submission = { named: undefined, keys: [], now };
const denying = { sealedReason: 'sealed reason', isRepeated: false, now };

function fold(credential: Credential | undefined, events: CredentialEvent[]): Credential {
  const folded = events.reduce(credentialAggregate.evolve, credential);
  if (!folded) throw new Error('no events');
  return folded;
}
const requested = fold(undefined, requestCredential(terms));
const prepared = fold(requested, submitCredential(requested, data, submission));
const issued = fold(prepared, issueCredential(prepared, issue).events);
const denied = fold(requested, denyCredential(requested, denying));

describe('a credential that was requested before its data was submitted', () => {
  it('is pending for the keys of the request, until the data can come no more', () => {
    expect(issueCredential(requested, issue)).toEqual({ events: [], refusal: 'pending' });
    expect(issueCredential(requested, { ...issue, now: overdue }).refusal).toBe('overdue');
    expect(issueCredential(requested, { ...issue, awaitedBy: ['k2'] }).refusal).toBe('other-keys');
  });

  it('is issued to the keys of the request alone, once the data is there', () => {
    expect(prepared).toMatchObject({ status: 'Prepared', createdAt: terms.createdAt, sealedContent: 'sealed content' });
    expect(issueCredential(prepared, { ...issue, awaitedBy: ['k2'] }).refusal).toBe('other-keys');
    expect(issued).toMatchObject({ status: 'Issued', holderKeys: ['k1'], wait: { sealedRequest: 'sealed request' } });
    expect(issueCredential(issued, issue)).toEqual({ events: [] });
  });

  it('is issued to other keys when another wallet asks than the one that waited', () => {
    const other = { ...issue, holders: [{ thumbprint: 'k2', did: undefined }], awaitedBy: undefined };
    expect(issueCredential(prepared, other).events).toMatchObject([{ type: 'CredentialIssued', holderKeys: ['k2'] }]);
  });

  it('takes its data once, and not when the wallet can no longer fetch it', () => {
    expect(() => submitCredential(prepared, data, submission)).toThrow('has its data already');
    expect(() => submitCredential(requested, data, { ...submission, now: overdue })).toThrow('2026-12-20');
    expect(() => submitCredential(denied, data, submission)).toThrow('was denied');
  });

  it('takes no data for another person than the one whose DID the wallet has proved', () => {
    const proved = (did: string) => ({ thumbprint: did, did });
    const forAda = (...dids: string[]) => ({ ...submission, named: { did: 'did:key:zAda' }, keys: dids.map(proved) });
    expect(submitCredential(requested, data, forAda('did:key:zAda'))).toHaveLength(1);
    expect(() => submitCredential(requested, data, forAda('did:key:zAda', 'did:key:zBob'))).toThrow();
  });

  it('is denied until it is issued, and keeps nothing of the data', () => {
    const late = fold(prepared, denyCredential(prepared, denying));
    expect(late).toEqual({
      ...requested,
      status: 'Denied',
      deniedAt: now.toISOString(),
      sealedReason: 'sealed reason',
    });
    expect(issueCredential(late, issue)).toEqual({ events: [], refusal: 'denied' });
    expect(() => denyCredential(issued, denying)).toThrow('was issued already');
    expect(denyCredential(denied, { ...denying, isRepeated: true })).toEqual([]);
    expect(() => denyCredential(denied, denying)).toThrow('another reason');
  });

  it('with a retention is to be erased in time, also when it is denied', () => {
    const limited = fold(undefined, requestCredential({ ...terms, eraseAt: terms.submittableUntil }));
    const eraseAt = (credential: Credential) => fold(credential, denyCredential(credential, denying)).eraseAt;
    expect(eraseAt(limited)).toBe('2026-12-20T10:00:00.000Z');
    const withData = (expiresAt: string | null) => {
      const complete: CredentialTerms = { ...data, retention: 'untilIssued', expiresAt };
      return fold(limited, submitCredential(limited, complete, submission));
    };
    expect(eraseAt(withData('2026-12-01T10:00:00.000Z'))).toBe('2026-12-01T10:00:00.000Z');
    expect(eraseAt(withData(null))).toBe('2026-12-20T10:00:00.000Z');
    expect(denied).not.toHaveProperty('eraseAt');
  });

  it('is not denied when no wallet waits for it, or its personal data was erased', () => {
    const submitted = fold(undefined, [{ type: 'CredentialPrepared', ...data }]);
    expect(() => denyCredential(submitted, denying)).toThrow('withdraw its offer 001');
    expect(() => denyCredential(requested, { ...denying, sealedReason: undefined })).toThrow('personal data');
  });

  it('can be asked for again until the wallet has reported the outcome, for a day at most', () => {
    const nextDay = new Date('2026-11-21T10:00:00Z');
    expect([requested, prepared, denied, issued].filter((state) => hasServed(state, now))).toEqual([]);
    expect(hasServed(issued, new Date(nextDay.getTime() - 1))).toBe(false);
    expect(hasServed(issued, nextDay)).toBe(true);
    expect(hasServed(fold(issued, notifyCredential(issued, 'credential_failure')), now)).toBe(true);
  });

  it('has no outcome before it is issued', () => {
    expect([requested, denied].flatMap((state) => notifyCredential(state, 'credential_accepted'))).toEqual([]);
  });
});
