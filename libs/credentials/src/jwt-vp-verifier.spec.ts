import { expectedJwt, holder, holderKey, issuer, jwtVp, policy, seconds } from '../fixtures/presentations';
import { verifyPresentation } from './presentation-verifier';
import { thumbprint } from './public-jwk';

describe('an honest jwt_vp', () => {
  it('passes every check and releases the credential', async () => {
    const result = await verifyPresentation(jwtVp(), expectedJwt, policy());
    expect(result.checks.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'structure passed',
      'nonce passed',
      'audience passed',
      'key-binding passed',
      'issuer-trusted passed',
      'issuer-key passed',
      'issuer-signature passed',
      'times passed',
      'holder-binding passed',
      'status passed',
      'query passed',
    ]);
    expect(result).toMatchObject({
      verified: true,
      credential: {
        format: 'jwt_vc_json',
        issuer,
        types: ['VerifiableCredential', 'Diploma'],
        holder: { did: holder, thumbprint: thumbprint(holderKey.jwk) },
        issuedAt: new Date((seconds - 3600) * 1000),
        expiresAt: new Date((seconds + 3600) * 1000),
        claims: { issuer, credentialSubject: { id: holder, name: 'Ada' } },
      },
    });
  });
});
