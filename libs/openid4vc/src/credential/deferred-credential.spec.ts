import { parseDeferredRequest, renderDeferral, renderStillPending } from './deferred-credential';
import { OAuthError } from '../wire/oauth-error';
import { type RequestDialect } from './request-class';

const named = { by: 'configuration', configurationId: 'diploma' } as const;
const deferral = { transactionId: 't1', acceptanceToken: 'a1', interval: 7, nonce: 'n1', nonceExpiresIn: 300 };
const final = { requestClass: 'F', endpoint: 'final', named } as const;
const earlier: RequestDialect[] = [
  { requestClass: 'F', endpoint: 'draft-13' },
  { requestClass: 'F-single', endpoint: 'final' },
  { requestClass: 'L14', endpoint: 'draft-13' },
  { requestClass: 'L13', endpoint: 'draft-13' },
  { requestClass: 'L11', endpoint: 'draft-13' },
];

function errorOf(work: () => unknown): OAuthError {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthError) return error;
  }
  throw new Error('no OAuthError');
}

const inClear = { isRequestEncrypted: false, isRequired: false, isEarlier: false };

describe('a deferred credential request', () => {
  it('names its transaction, whatever members come with it', () => {
    expect(parseDeferredRequest({ transaction_id: 't1', dpop: true }, inClear)).toEqual({ transactionId: 't1' });
  });

  it.each([
    ['no object', [], 'invalid_credential_request'],
    ['no transaction', {}, 'invalid_credential_request'],
    ['a number', { transaction_id: 1 }, 'invalid_credential_request'],
    ['encryption', { transaction_id: 't1', credential_response_encryption: {} }, 'invalid_encryption_parameters'],
  ])('with %s is rejected', (_, body, code) => {
    expect(errorOf(() => parseDeferredRequest(body, inClear)).code).toBe(code);
  });
});

describe('the answer that defers a credential', () => {
  const common = { transaction_id: 't1', interval: 7, c_nonce: 'n1', c_nonce_expires_in: 300 };

  it.each(['F', 'F-single', 'L14', 'L13'] as const)('names transaction, interval and the next nonce for %s', (one) => {
    expect(renderDeferral({ requestClass: one }, deferral)).toEqual(common);
  });

  it('has the acceptance token of draft 11, too, for L11', () => {
    expect(renderDeferral({ requestClass: 'L11' }, deferral)).toEqual({ ...common, acceptance_token: 'a1' });
  });
});

describe('the answer to a wallet that asks too early', () => {
  it('repeats the transaction in 1.0', () => {
    expect(renderStillPending(final, deferral)).toEqual({ transaction_id: 't1', interval: 7 });
  });

  it.each(earlier)('is an error for $requestClass at the $endpoint endpoint', (dialect) => {
    const error = errorOf(() => renderStillPending({ ...dialect, named }, deferral));
    expect(error).toMatchObject({ code: 'issuance_pending', status: 400, extra: { interval: 7 } });
  });
});
