import { OAuthError, Quoting, quoting } from '../wire/oauth-error';
import { isRecordable, type RecordedRefusals, type RefusedStep, refusalOf, withRefusal } from './wallet-refusal';

const refusal: RefusedStep = { endpoint: 'token', error: 'invalid_grant', reason: 'not-open', description: 'No.' };

/** What a stream has recorded after these refusals, each offered as often as it takes. */
function recordedOf(kinds: readonly RefusedStep[], times: number): RecordedRefusals {
  let recorded: RecordedRefusals = {};
  for (let time = 0; time < times; time++) {
    for (const kind of kinds) if (isRecordable(recorded, kind)) recorded = withRefusal(recorded, kind);
  }
  return recorded;
}

describe('the refusals that a stream records', () => {
  it('are eight of a kind and sixteen kinds, however many a wallet causes', () => {
    const kinds = Array.from({ length: 40 }, (_, index) => ({ ...refusal, reason: `reason-${index}` }));
    const recorded = recordedOf(kinds, 40);
    expect(Object.keys(recorded)).toHaveLength(16);
    expect(new Set(Object.values(recorded))).toEqual(new Set([8]));
  });

  it('tell kinds apart by endpoint, reason, request class and credential', () => {
    const others = [{ endpoint: 'offer' }, { reason: 'expired' }, { requestClass: 'F' }, { configurationId: 'one' }];
    const kinds = [refusal, ...others.map((change) => ({ ...refusal, ...change }) as RefusedStep)];
    expect(Object.keys(recordedOf(kinds, 2))).toHaveLength(kinds.length);
  });
});

describe('the words of a refusal', () => {
  const canary = 'Zwergspitzmaus';

  it.each([
    quoting`The grant type '${canary}' is not supported.`,
    new Quoting(`The grant type '${canary}' is not supported.`, "The grant type '...' is not supported."),
  ])('leave out what the wallet sent', (description) => {
    const error = new OAuthError('invalid_request', description);
    expect(error.description).toContain(canary);
    expect(refusalOf(error, { endpoint: 'token' })).toEqual({
      endpoint: 'token',
      error: 'invalid_request',
      reason: 'invalid_request',
      description: "The grant type '...' is not supported.",
    });
    expect(error.withNonce('n-1', 300).words).toBe("The grant type '...' is not supported.");
  });
});
