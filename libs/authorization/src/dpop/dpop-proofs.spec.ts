import type { Settings } from '@app/config';
import type { EventStore } from '@app/event-store';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { Authenticator, NamedShapes } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { IncomingMessage } from 'node:http';
import { DpopProofs } from './dpop-proofs';

describe('a DPoP nonce', () => {
  const key = signingKey();
  const settings = { applicationUrl: 'https://issuer.example', authorization: {} } as Settings;
  // The beginning of a bucket of 150 s.
  const start = new Date('2026-11-22T12:00:00Z').getTime();
  let now = start;
  const store = { clock: () => new Date(now) } as EventStore;
  const authenticator = new Authenticator(knownRootKeys());
  const proofs = new DpopProofs(settings, authenticator, new NamedShapes(authenticator), store);

  function verify(nonce: string): unknown {
    const claims = { jti: 'one', htm: 'POST', htu: 'https://issuer.example/openid4vci/token', iat: now / 1000, nonce };
    const dpop = key.sign({ typ: 'dpop+jwt', jwk: { ...key.jwk } }, claims);
    const request = { method: 'POST', url: '/openid4vci/token', headers: { dpop } } as unknown as IncomingMessage;
    return proofs.verify({ request, place: 'authorization-server' });
  }

  it('is good for the rest of its two and a half minutes and the next, and then no more', () => {
    now = start;
    const nonce = proofs.nonce();
    for (const seconds of [0, 149, 150, 299]) {
      now = start + seconds * 1000;
      expect(verify(nonce)).toHaveProperty('thumbprint');
    }
    for (const seconds of [300, 449, 450]) {
      now = start + seconds * 1000;
      expect(() => verify(nonce)).toThrow('Use the nonce of the DPoP-Nonce header');
    }
  });

  it('is another one every two and a half minutes, and until then the same', () => {
    const [first, last, next] = [0, 149, 150].map((seconds) => {
      now = start + seconds * 1000;
      return proofs.nonce();
    });
    expect(last).toBe(first);
    expect(next).not.toBe(first);
  });
});
