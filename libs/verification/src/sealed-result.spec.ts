import { createHash } from 'node:crypto';
import { additionalDataOf, SealBrokenError, Sealer } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { AuthorizationRequestEvent } from './authorization-request';
import type { AcceptedResponse } from './response-verifier';
import { openResult, sealResult } from './sealed-result';

const sealer = new Sealer(knownRootKeys());
const { wrapped } = sealer.newDataKey('authorization_request-request-1');
const presented: AcceptedResponse = { vpToken: null, idToken: null, subject: 'did:example:ada', credentials: [] };

describe('what was presented', () => {
  const sealedResult = sealResult(sealer, 'request-1', wrapped, presented);
  const verified = { type: 'PresentationVerified', variant: 'final', sealedResult, checks: [] } as const;
  const retrieved: AuthorizationRequestEvent = { type: 'RequestRetrieved', variant: 'final' };
  const history = [{ event: retrieved }, { event: verified }];

  it('is opened for the request it was presented to', () => {
    expect(openResult(sealer, 'request-1', wrapped, history)).toEqual(presented);
    expect(openResult(sealer, 'request-1', wrapped, history.slice(0, 1))).toBeUndefined();
  });

  it('is opened as earlier releases sealed it, without compression', () => {
    const place = { streamId: 'authorization_request-request-1', event: 'PresentationVerified' };
    const dataKey = sealer.unwrap(wrapped, place.streamId);
    const plain = sealer.seal(dataKey, JSON.stringify(presented), additionalDataOf(place));
    const earlier = [{ event: { ...verified, sealedResult: plain } }];
    expect(openResult(sealer, 'request-1', wrapped, earlier)).toEqual(presented);
  });

  it('takes hardly more room than the tokens that were presented', () => {
    const parts = Array.from({ length: 40 }, (_, part) => createHash('sha512').update(`${part}`).digest('base64url'));
    const token = parts.join('');
    const sealed = sealResult(sealer, 'request-1', wrapped, { ...presented, vpToken: { card: [token] } });
    // Sealing and base64url alone make it a third longer.
    expect(sealed.length).toBeLessThan(token.length * 1.1);
  });

  it('is not opened for another request, although that one has the key', () => {
    expect(() => openResult(sealer, 'request-2', wrapped, history)).toThrow(SealBrokenError);
  });
});
