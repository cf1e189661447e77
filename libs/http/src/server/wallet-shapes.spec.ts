import { encode, signingKey } from '@app/primitives/fixtures/signing-key';
import { Logger } from '@nestjs/common';
import { HttpReply } from '../context/http-reply';
import { RawBody } from '../body/raw-body';
import { logShapes, shapeOf } from './wallet-shapes';

const canary = 'Zwergspitzmaus';

describe('the shape of a message', () => {
  it('has names and types, and no value', () => {
    const proof = signingKey('ES256').sign({ typ: canary, jwk: { x: canary } }, { aud: canary, iat: 1 });
    const shape = shapeOf({ credential_configuration_id: canary, proofs: { jwt: [proof, proof] }, more: [1, null] });
    expect(shape).toBe(
      '{credential_configuration_id: string, proofs: {jwt: [JWT {alg: string, typ: string, jwk: {x: string}} ' +
        '{aud: string, iat: number}] x 2}, more: [number | null] x 2}',
    );
  });

  it('has no name that may be a value, and has an end', () => {
    expect(shapeOf({ [`${canary} lives here`]: 1 })).toBe('{?: number}');
    const credential = signingKey('ES256').sign(
      {},
      { iss: canary, vc: { credentialSubject: { [canary]: { [canary]: 1 } } } },
    );
    expect(shapeOf({ credential })).toBe('{credential: JWT {alg: string} {iss: string, ?: {?: {?: {?: number}}}}}');
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {});
    expect(shapeOf(deep)).toContain('...');
    expect(shapeOf(`${encode({ alg: 'ECDH-ES' })}.${canary}.x.y.z`)).toBe('JWE {alg: string}');
  });
});

describe('the log of shapes', () => {
  it('has what a wallet sent and got, and nothing of portals', () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    const body = new RawBody(Buffer.from(`grant_type=${canary}`), 'application/x-www-form-urlencoded', 100);
    const route = { path: '/openid4vci/token' };
    const observe = logShapes((path) => path.startsWith('/openid4vci'));
    const answer = new HttpReply(400, { error: canary });
    observe({ method: 'POST', url: '/openid4vci/token?x', route, body } as never, answer);
    observe({ method: 'POST', url: '/v0/offers', route, body } as never, answer);
    const lines = log.mock.calls as unknown[][];
    log.mockRestore();
    const line = { event: 'wallet.answered', method: 'POST', route: '/openid4vci/token', status: 400 };
    expect(lines).toEqual([[{ ...line, sent: 'form {grant_type: string}', got: '{error: string}' }]]);
  });
});
