import type { Settings } from '@app/config';
import type { IssuerDirectory, ServiceIdentity } from '@app/identity';
import type { PresentedStatuses } from './presented-statuses';
import { VerifyingPolicy } from './verifying-policy';

const own: string = 'https://service.example/openid4vci';
const unknown = 'did:web:unknown.example';

function policyIn(profile: 'development' | 'production') {
  const settings = {
    profile,
    verification: { trustedIssuers: ['did:web:listed.example Degree'] },
  } as unknown as Settings;
  const identity = { isOwn: (issuer: string) => issuer === own } as ServiceIdentity;
  return new VerifyingPolicy(settings, identity, {} as IssuerDirectory, {} as PresentedStatuses).policy;
}

describe('the verifying policy', () => {
  it('trusts in production whom the settings name, and this service itself', () => {
    const { isTrusted } = policyIn('production');
    expect(isTrusted(unknown, ['Degree'])).toBe('untrusted');
    expect(isTrusted('did:web:listed.example', ['Degree'])).toBe('trusted');
    expect(isTrusted(own, ['Anything'])).toBe('trusted');
  });

  it('accepts unknown issuers in development only', () => {
    expect(policyIn('development').isTrusted(unknown, ['Degree'])).toBe('accepted-in-development');
  });
});
