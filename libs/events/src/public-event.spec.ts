import type { DomainEvent, StoredEvent } from '@app/event-store';
import Ajv2020 from 'ajv/dist/2020';
import { anyEvent } from './event-schemas';
import { publicEventOf, publicEventTypes } from './public-event';

const source = 'https://issuer.example';
/** As it is stored: what an event has besides its type is not of interest to the store. */
type RecordedEvent = DomainEvent & Readonly<Record<string, unknown>>;
const secret = 'keep-me-out';

function stored(category: string, event: RecordedEvent, terms?: Record<string, unknown>): StoredEvent {
  const recordedAt = new Date('2027-01-02T03:04:05.678Z');
  return {
    tenant: '',
    position: '4711',
    category,
    id: 'id-1',
    version: 2,
    event,
    recordedAt,
    unit: 'u',
    ...(terms && { terms }),
  };
}

const isDocumented = new Ajv2020({ strict: false, validateFormats: false }).compile({ ...anyEvent });
/** As the document of the management API says. */
function published(stored: StoredEvent) {
  const event = publicEventOf(stored, source);
  if (event) expect([isDocumented(event), isDocumented.errors]).toEqual([true, null]);
  return event;
}
const ofOffer = (event: RecordedEvent, terms?: Record<string, unknown>) => published(stored('offer', event, terms));
const ofCredential = (event: RecordedEvent) =>
  published(stored('credential', event, { offerId: 'offer-1', templateId: 'diploma', configurationId: 'diploma' }));
const ofRequest = (event: RecordedEvent) => published(stored('authorization_request', event));
const ofTemplate = (event: RecordedEvent) => published(stored('template', event));

describe('an event for others', () => {
  it('is a CloudEvent 1.0 with the position in the store as its id', () => {
    expect(ofOffer({ type: 'OfferLocked' })).toEqual({
      specversion: '1.0',
      id: '4711',
      source,
      type: 'offer.locked',
      subject: 'offers/id-1',
      time: '2027-01-02T03:04:05.678Z',
      datacontenttype: 'application/json',
      dataschema: 'urn:sealwright:event:offer.locked:1',
      data: { offerId: 'id-1', state: 'Locked' },
    });
  });

  it('bears the time when it happened, not the one when it was recorded', () => {
    const fetched = ofOffer({ type: 'OfferFetched', fetchedAt: '2027-01-02T03:04:04.000Z' });
    expect(fetched).toMatchObject({ type: 'offer.fetched', time: '2027-01-02T03:04:04.000Z' });
    const expiresAt = '2027-01-02T03:04:00.000Z';
    expect(ofOffer({ type: 'OfferExpired', expiresAt })).toMatchObject({ type: 'offer.expired', time: expiresAt });
    expect(ofRequest({ type: 'RequestExpired', expiresAt })).toMatchObject({ time: expiresAt });
  });

  it('names what a wallet was granted, and the public offer that it came from', () => {
    const granted = { configurationIds: ['diploma'], identifiersGiven: true };
    const event = { type: 'OfferRedeemed', redeemedAt: '2027-01-02T03:04:05.000Z', granted, requestHash: secret };
    expect(ofOffer(event, { claimOf: 'open-day' })).toMatchObject({
      type: 'offer.redeemed',
      data: { offerId: 'id-1', claimOf: 'open-day', state: 'Redeemed', credentialConfigurationIds: ['diploma'] },
    });
  });

  it('names the offer and the template of a credential', () => {
    expect(ofCredential({ type: 'CredentialAccepted' })).toMatchObject({
      type: 'credential.accepted',
      subject: 'credentials/id-1',
      data: {
        credentialId: 'id-1',
        offerId: 'offer-1',
        templateId: 'diploma',
        credentialConfigurationId: 'diploma',
        status: 'Accepted',
      },
    });
  });

  it('has the check that rejected a presentation, without what it found', () => {
    const failure = { check: 'signature', reason: secret, credentialId: 'person' };
    expect(ofRequest({ type: 'PresentationRejected', variant: 'final', failure })?.data).toEqual({
      state: 'id-1',
      status: 'rejected',
      check: 'signature',
    });
    expect(ofRequest({ type: 'WalletDeclined', variant: 'final', error: secret })?.data).toEqual({
      state: 'id-1',
      status: 'rejected',
      check: 'wallet',
    });
  });

  it('has no personal data, no key of a holder and no secret', () => {
    const all = [
      ofOffer({ type: 'OfferFetched', fetchedAt: '2027-01-02T03:04:04.000Z' }),
      ofCredential({ type: 'CredentialIssued', issuedAt: '2027-01-02T03:04:05.000Z', holderKeys: [secret] }),
      ofCredential({
        type: 'CredentialRevoked',
        reason: secret,
        statusChange: { listId: secret, indices: [7], to: 'revoked' },
      }),
      ofCredential({ type: 'CredentialRefused' }),
      ofCredential({ type: 'CredentialDeleted' }),
      ofRequest({
        type: 'PresentationVerified',
        variant: 'final',
        sealedResult: secret,
        checks: [],
        responseCodeHash: secret,
      }),
      ofTemplate({ type: 'TemplatePublished' }),
      ofTemplate({ type: 'TemplateArchived' }),
    ];
    expect(all).not.toContain(undefined);
    expect(JSON.stringify(all)).not.toContain(secret);
  });

  it('has one of the documented types', () => {
    expect(publicEventTypes).toEqual([
      'approval.approved',
      'approval.expired',
      'approval.rejected',
      'approval.requested',
      'approval.unneeded',
      'authorization.consented',
      'authorization.identified',
      'authorization.redeemed',
      'authorization.refused',
      'authorization.revoked',
      'credential.accepted',
      'credential.approved',
      'credential.delayed',
      'credential.deleted',
      'credential.denied',
      'credential.held',
      'credential.issued',
      'credential.refused',
      'credential.reinstated',
      'credential.requested',
      'credential.revoked',
      'credential.suspended',
      'offer.expired',
      'offer.fetched',
      'offer.locked',
      'offer.redeemed',
      'presentation.expired',
      'presentation.rejected',
      'presentation.released',
      'presentation.verified',
      'template.archived',
      'template.published',
    ]);
  });

  it('is not made of what is private, nor of what this version does not know', () => {
    expect(ofOffer({ type: 'TransactionCodeRefused' })).toBeUndefined();
    expect(ofTemplate({ type: 'TemplateDeleted' })).toBeUndefined();
    expect(published(stored('offer', { type: 'OfferMadeLater' }))).toBeUndefined();
    expect(published(stored('other', { type: 'OfferLocked' }))).toBeUndefined();
  });
});
