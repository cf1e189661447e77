import {
  type Credential,
  credentialAggregate,
  type CredentialEvent,
  issueCredential,
  notifyCredential,
  prepareCredential,
  withStatusList,
} from './credential';
import { copiesOf, lastIssuedAt } from './credential-copies';
import { changeValidity } from './credential-validity';

const at = (minutes: number): Date => new Date(Date.parse('2026-11-20T10:00:00Z') + minutes * 60_000);
const terms = {
  credentialId: 'c1',
  offerId: '001',
  configurationId: 'diploma',
  format: 'dc+sd-jwt',
  createdAt: '2026-11-20T09:59:00.000Z',
  expiresAt: '2026-11-21T10:00:00.000Z',
  sealedContent: 'sealed',
} as const;
const askedBy = (...keys: string[]) => ({
  holders: keys.map((thumbprint) => ({ thumbprint, did: undefined })),
  named: undefined,
  signingKeyId: 's1',
  now: at(0),
});
const bound = { isBoundToKey: true, mostCopies: 30 };
const bearer = { isBoundToKey: false, mostCopies: 30 };

function fold(credential: Credential | undefined, events: readonly CredentialEvent[]): Credential {
  const folded = events.reduce(credentialAggregate.evolve, credential);
  if (!folded) throw new Error('no events');
  return folded;
}
/** With entries in a status list, as the handler adds them. */
const issuedTo = (
  credential: Credential,
  listId: string,
  indices: number[],
  issue: Parameters<typeof issueCredential>[1],
) => fold(credential, withStatusList(issueCredential(credential, issue).events, { listId, indices }));

const issued = issuedTo(fold(undefined, prepareCredential(terms)), 'l1', [7], askedBy('k1'));
const further = { ...askedBy('k2', 'k3'), again: bound, now: at(1) };
const copied = issuedTo(issued, 'l2', [8, 9], further);
const accepted = fold(issued, notifyCredential(issued, 'credential_accepted'));

describe('a credential that a wallet asks for again', () => {
  it('has copies for its other keys, by a token that is bound to a key', () => {
    expect(issueCredential(issued, further).events).toEqual([
      {
        type: 'CredentialReissued',
        issuedAt: '2026-11-20T10:01:00.000Z',
        holderKeys: ['k2', 'k3'],
        copies: 3,
        signingKeyId: 's1',
      },
    ]);
    expect([copiesOf(issued), copiesOf(copied), lastIssuedAt(copied)]).toEqual([1, 3, '2026-11-20T10:01:00.000Z']);
    expect(copied).toMatchObject({ issuedAt: '2026-11-20T10:00:00.000Z', holderKeys: ['k1'] });
  });

  it.each([[['k1']], [['k3', 'k2']]])('has no others for keys that have theirs: %j', (keys) => {
    expect(issueCredential(copied, { ...askedBy(...keys), again: bound })).toEqual({ events: [] });
    expect(issueCredential(copied, { ...askedBy(...keys), again: bearer })).toEqual({ events: [] });
  });

  it('has none for other keys by a token that whoever finds it may use', () => {
    expect(issueCredential(issued, { ...askedBy('k2'), again: bearer }).refusal).toBe('other-keys');
    expect(issueCredential(accepted, { ...askedBy('k1'), again: bearer }).refusal).toBe('finished');
  });

  it('has them once for each refreshed token, of which each other request gets the same', () => {
    const refreshed = { ...bearer, tokenGivenAt: at(2) };
    const again = issuedTo(accepted, 'l1', [10], { ...askedBy('k2'), again: refreshed, now: at(3) });
    expect(copiesOf(again)).toBe(2);
    expect(issueCredential(again, { ...askedBy('k2'), again: refreshed })).toEqual({ events: [] });
    expect(issueCredential(again, { ...askedBy('k3'), again: refreshed }).refusal).toBe('other-keys');
    expect(issueCredential(issued, { ...askedBy('k2'), again: { ...bearer, tokenGivenAt: at(0) } }).refusal).toBe(
      'other-keys',
    );
  });

  it('also after its wallet has said what became of it, which is of the latest copies from then on', () => {
    for (const event of ['credential_accepted', 'credential_failure', 'credential_deleted'] as const) {
      const again = fold(fold(issued, notifyCredential(issued, event)), issueCredential(issued, further).events);
      expect(again.status).toBe('Issued');
      expect(notifyCredential(again, 'credential_deleted', 0)).toEqual([]);
      expect(notifyCredential(again, 'credential_accepted', 1)).toEqual([{ type: 'CredentialAccepted' }]);
    }
  });

  it('has no more copies than it may have, those of a batch and of the first issue counted', () => {
    const issue = (mostCopies: number) => ({ ...further, again: { ...bound, mostCopies } });
    expect(issueCredential(issued, issue(3)).events).toHaveLength(1);
    expect(issueCredential(issued, issue(2))).toEqual({ events: [], refusal: 'too-many-copies' });
    const prepared = fold(undefined, prepareCredential(terms));
    expect(issueCredential(prepared, issue(1))).toEqual({ events: [], refusal: 'too-many-copies' });
  });

  it('has none while it is suspended, or once it is revoked or expired', () => {
    for (const change of ['suspend', 'revoke'] as const) {
      const changed = fold(issued, changeValidity(issued, change, undefined));
      expect(issueCredential(changed, further)).toEqual({ events: [], refusal: 'not-valid' });
    }
    expect(issueCredential(issued, { ...further, now: at(24 * 60) }).refusal).toBe('expired');
  });

  it('is given as it is when it was signed elsewhere', () => {
    const elsewhere = { ...askedBy('k2'), signingKeyId: undefined };
    expect(issueCredential(accepted, { ...elsewhere, again: bound })).toEqual({ events: [] });
    expect(issueCredential(accepted, { ...elsewhere, again: bearer }).refusal).toBe('finished');
  });

  it('is changed in the lists of all its copies', () => {
    expect(changeValidity(copied, 'revoke', 'sealed')).toEqual([
      {
        type: 'CredentialRevoked',
        sealedReason: 'sealed',
        copies: 3,
        statusChange: { listId: 'l1', indices: [7], to: 'revoked' },
      },
      { type: 'FurtherCopiesChanged', statusChange: { listId: 'l2', indices: [8, 9], to: 'revoked' } },
    ]);
    const inOneList = issuedTo(issued, 'l1', [8, 9], further);
    expect(changeValidity(inOneList, 'suspend', undefined)).toMatchObject([
      { copies: 3, statusChange: { listId: 'l1', indices: [7, 8, 9], to: 'suspended' } },
    ]);
  });

  it('is stored in events that an earlier release refuses', () => {
    expect(credentialAggregate.eventVersion).toMatchObject({ CredentialReissued: 2, FurtherCopiesChanged: 2 });
    expect(credentialAggregate.foldVersion).toBe(3);
  });
});
