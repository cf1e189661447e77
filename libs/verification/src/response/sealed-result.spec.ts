import { createHash } from 'node:crypto';
import { SealBrokenError, Sealer } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { AuthorizationRequestEvent } from '../request/request-record';
import type { AcceptedResponse } from './response-verifier';
import { openResult, sealResult } from './sealed-result';

const sealer = new Sealer(knownRootKeys());
const presented: AcceptedResponse = { vpToken: null, idToken: null, subject: 'did:example:ada', credentials: [] };

const retrieved: AuthorizationRequestEvent = {
  type: 'RequestRetrieved',
  variant: 'final',
  retrievedAt: '2026-11-20T10:00:00Z',
};
const verified = { type: 'PresentationVerified', variant: 'final', checks: [] } as const;

describe('what was presented', () => {
  let wrapped: Buffer;
  let history: { readonly event: AuthorizationRequestEvent }[];

  beforeAll(async () => {
    ({ wrapped } = await sealer.newDataKey('authorization_request-request-1'));
    const sealedResult = (await sealResult(sealer, 'request-1', wrapped, presented)) ?? '';
    history = [{ event: retrieved }, { event: { ...verified, sealedResult } }];
  });

  it('is opened for the request it was presented to', async () => {
    expect(await openResult(sealer, 'request-1', wrapped, history)).toEqual(presented);
    expect(await openResult(sealer, 'request-1', wrapped, history.slice(0, 1))).toBeUndefined();
  });

  it('takes hardly more room than the tokens that were presented', async () => {
    const parts = Array.from({ length: 40 }, (_, part) => createHash('sha512').update(`${part}`).digest('base64url'));
    const token = parts.join('');
    const sealed = await sealResult(sealer, 'request-1', wrapped, { ...presented, vpToken: { card: [token] } });
    // Sealing and base64url alone make it a third longer.
    expect(sealed?.length).toBeLessThan(token.length * 1.1);
  });

  it('is not opened for another request, although that one has the key', async () => {
    expect(() => openResult(sealer, 'request-2', wrapped, history)).toThrow(SealBrokenError);
  });
});
