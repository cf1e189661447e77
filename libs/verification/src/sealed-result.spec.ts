import { SealBrokenError, Sealer } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { AuthorizationRequest } from './authorization-request';
import type { AcceptedResponse } from './response-verifier';
import { openResult, sealResult } from './sealed-result';

const sealer = new Sealer(knownRootKeys());
const { wrapped } = sealer.newDataKey('authorization_request-request-1');
const presented: AcceptedResponse = { vpToken: null, idToken: null, subject: 'did:example:ada', credentials: [] };

/** Members that opening a result does not read are left out. */
function verified(state: string, sealedResult: string): AuthorizationRequest {
  return { state, status: 'verified', sealedResult } as unknown as AuthorizationRequest;
}

describe('what was presented', () => {
  const sealed = sealResult(sealer, 'request-1', wrapped, presented);

  it('is opened for the request it was presented to', () => {
    expect(openResult(sealer, verified('request-1', sealed), wrapped)).toEqual(presented);
  });

  it('is not opened for another request, although that one has the key', () => {
    expect(() => openResult(sealer, verified('request-2', sealed), wrapped)).toThrow(SealBrokenError);
  });
});
