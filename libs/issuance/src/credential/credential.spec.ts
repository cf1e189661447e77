import {
  Credential,
  credentialAggregate,
  CredentialTerms,
  issueCredential,
  notifyCredential,
  prepareCredential,
  signCredential,
  withStatusList,
} from './credential';

const now = new Date('2026-11-20T10:00:00Z');
const terms: CredentialTerms = {
  credentialId: 'c1',
  offerId: '001',
  configurationId: 'diploma',
  format: 'jwt_vc_json',
  createdAt: '2026-11-20T09:59:00.000Z',
  expiresAt: '2026-11-21T10:00:00.000Z',
  sealedContent: 'sealed',
};
const holder = { thumbprint: 'k1', did: 'did:key:zAda' };
const issue = { holders: [holder], named: undefined, now };
const provedBy = (...keys: string[]) => ({
  ...issue,
  holders: keys.map((key) => ({ thumbprint: key, did: undefined })),
});

function fold(credential: Credential | undefined, events: ReturnType<typeof prepareCredential>): Credential {
  const folded = events.reduce(credentialAggregate.evolve, credential);
  if (!folded) throw new Error('no events');
  return folded;
}
const prepared = fold(undefined, prepareCredential(terms));
const issued = fold(prepared, issueCredential(prepared, issue).events);
const accepted = fold(issued, notifyCredential(issued, 'credential_accepted'));

describe('a credential', () => {
  it('is issued with its moment and the keys it was bound to', () => {
    expect(issueCredential(prepared, issue).events).toEqual([
      { type: 'CredentialIssued', issuedAt: '2026-11-20T10:00:00.000Z', holderKeys: ['k1'] },
    ]);
    expect(issued.status).toBe('Issued');
  });

  it('has the key that signed it last, also of a repeated issue', () => {
    const { events } = issueCredential(prepared, { ...issue, signingKeyId: 'first' });
    expect(events).toMatchObject([{ type: 'CredentialIssued', signingKeyId: 'first' }]);
    const signed = fold(prepared, events);
    expect(signCredential(signed, 'first')).toEqual([]);
    const again = fold(signed, signCredential(signed, 'second'));
    expect(again).toEqual({ ...signed, signingKeyId: 'second' });
    expect(signCredential(issued, 'first')).toEqual([{ type: 'CredentialSignedAgain', signingKeyId: 'first' }]);
  });

  it('is valid from its issue with an entry in a status list on', () => {
    const statusList = { listId: 'l1', indices: [7] };
    const listed = fold(prepared, withStatusList(issueCredential(prepared, issue).events, statusList));
    expect(listed).toMatchObject({ statusList, validity: 'Valid' });
    expect(issued).not.toHaveProperty('validity');
  });

  it('with a retention is to be erased when it can no longer be issued, and from the issue on at the time of that', () => {
    const limited = fold(undefined, prepareCredential({ ...terms, retention: { after: 'P1D' } }));
    expect(limited.eraseAt).toBe(terms.expiresAt);
    const eraseAt = new Date('2026-11-21T11:00:00Z');
    expect(fold(limited, issueCredential(limited, { ...issue, eraseAt }).events).eraseAt).toBe(
      '2026-11-21T11:00:00.000Z',
    );
    const endless = fold(undefined, prepareCredential({ ...terms, expiresAt: null, retention: 'untilIssued' }));
    expect([endless.eraseAt, prepared.eraseAt, issued.eraseAt]).toEqual([undefined, undefined, undefined]);
  });

  it('keeps its status when its personal data is erased', () => {
    const erasedAt = '2026-11-22T10:00:00.000Z';
    const erased = fold(accepted, [{ type: 'PersonalDataErased', erasedAt, cause: 'request' }]);
    expect(erased).toEqual({ ...accepted, erasedAt });
  });

  it('has its sealed content in its state until it is issued; from then on its first event has it alone', () => {
    expect(prepared).toMatchObject({ sealedContent: 'sealed' });
    expect([issued, accepted].filter((state) => 'sealedContent' in state)).toEqual([]);
  });

  it.each([
    ['the DID it names', [holder], true],
    ['a bare key', [{ ...holder, did: undefined }], false],
    ['another DID', [{ ...holder, did: 'did:key:zBob' }], false],
    ['the DID it names and another one', [holder, { thumbprint: 'k2', did: 'did:key:zBob' }], false],
  ])('for a named holder, proved by %s', (_, holders, isIssued) => {
    const { events, refusal } = issueCredential(prepared, { ...issue, holders, named: { did: 'did:key:zAda' } });
    expect(refusal).toBe(isIssued ? undefined : 'other-holder');
    expect(events).toHaveLength(isIssued ? 1 : 0);
  });

  it('is issued again to the same keys while the wallet has not answered, without another event', () => {
    const pair = fold(prepared, issueCredential(prepared, provedBy('k1', 'k2')).events);
    expect(issueCredential(pair, provedBy('k2', 'k1'))).toEqual({ events: [] });
    expect(issueCredential(accepted, issue)).toEqual({ events: [], refusal: 'finished' });
  });

  it.each([[['k2']], [['k1', 'k2']], [['k1', 'k2', 'k3']]])('is issued to no other keys, such as %j', (holderKeys) => {
    expect(issueCredential(issued, provedBy(...holderKeys))).toEqual({ events: [], refusal: 'other-keys' });
  });

  it('is not issued from the moment it would be expired', () => {
    const refused = issueCredential(prepared, { ...issue, now: new Date('2026-11-21T10:00:00Z') });
    expect(refused).toEqual({ events: [], refusal: 'expired' });
    const endless = { ...prepared, expiresAt: null };
    expect(issueCredential(endless, { ...issue, now: new Date('2100-01-01T00:00:00Z') }).refusal).toBeUndefined();
  });

  it.each([
    ['credential_accepted', 'Accepted'],
    ['credential_failure', 'Refused'],
    ['credential_deleted', 'Deleted'],
  ] as const)('becomes what %s says, once', (event, status) => {
    const after = fold(issued, notifyCredential(issued, event));
    expect(after.status).toBe(status);
    expect(notifyCredential(after, event)).toEqual([]);
  });

  it('stays deleted', () => {
    const deleted = fold(accepted, notifyCredential(accepted, 'credential_deleted'));
    expect(deleted.status).toBe('Deleted');
    expect(notifyCredential(deleted, 'credential_accepted')).toEqual([]);
  });

  it('hears nothing about itself before it is issued', () => {
    expect(notifyCredential(prepared, 'credential_accepted')).toEqual([]);
  });
});
