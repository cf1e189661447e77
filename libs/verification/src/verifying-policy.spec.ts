import type { Settings } from '@app/config';
import { didJwk, parsePublicJwk, thumbprint } from '@app/credentials';
import type { ServiceIdentity } from '@app/identity';
import type { KeyRing } from '@app/keys';
import { walletUrls } from '@app/openid4vc';
import type { OutboundClient } from '@app/outbound';
import { VerifyingPolicy } from './verifying-policy';

const urls = walletUrls('https://service.example');
const publicJwk = parsePublicJwk({
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
});
const revoked = parsePublicJwk({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' });
const stranger = 'did:web:stranger.example';
const now = new Date('2026-11-20T12:00:00Z');

function policyIn(profile: 'development' | 'production', asked: string[] = []) {
  const settings = {
    profile,
    applicationUrl: 'https://service.example',
    outbound: { allowPrivateHosts: [] },
    verification: { trustedIssuers: ['did:web:listed.example Degree'] },
  } as unknown as Settings;
  const identity = { isOwn: (issuer: string) => issuer === urls.issuer } as ServiceIdentity;
  const get = (url: string) => {
    asked.push(url);
    return Promise.reject(new Error('no network'));
  };
  const published = [{ kid: 'k', algorithm: 'ES256', publicJwk }];
  const keys = {
    publicKeys: () => published,
    publicKey: (kid: string) => {
      // As another replica's latest key is found: by looking again.
      if (kid === 'latest') published.push({ kid, algorithm: 'ES256', publicJwk });
      return Promise.resolve(published.find((key) => key.kid === kid));
    },
    isRevoked: (kid: string) => kid === thumbprint(revoked),
  } as unknown as KeyRing;
  return new VerifyingPolicy(settings, identity, { get } as unknown as OutboundClient, keys, urls).policy;
}

describe('the verifying policy', () => {
  it('trusts in production whom the settings name, and this service itself', () => {
    const { isTrusted } = policyIn('production');
    expect(isTrusted(stranger, ['Degree'])).toBe('untrusted');
    expect(isTrusted(didJwk(publicJwk), ['Degree'])).toBe('untrusted');
    expect(isTrusted('did:web:listed.example', ['Degree'])).toBe('trusted');
    expect(isTrusted(urls.issuer, ['Anything'])).toBe('trusted');
  });

  it('accepts strangers in development only', () => {
    expect(policyIn('development').isTrusted(stranger, ['Degree'])).toBe('accepted-in-development');
  });

  it('finds its own keys without the network, and those of others through it', async () => {
    const asked: string[] = [];
    const { issuerKeys } = policyIn('production', asked);
    await expect(issuerKeys.find({ kid: 'k' }, urls.issuer, now)).resolves.toMatchObject({ jwk: publicJwk });
    await expect(issuerKeys.find({ kid: `${urls.did}#k` }, urls.did, now)).resolves.toMatchObject({ jwk: publicJwk });
    expect(asked).toEqual([]);
    await expect(issuerKeys.find({ kid: `${stranger}#k` }, stranger, now)).rejects.toThrow('could not be fetched');
    expect(asked).toEqual(['https://stranger.example/.well-known/did.json']);
  });
  it('finds a key of its own that another replica has just made', async () => {
    const { issuerKeys } = policyIn('production');
    await issuerKeys.find({ kid: 'k' }, urls.issuer, now);
    await expect(issuerKeys.find({ kid: 'latest' }, urls.issuer, now)).resolves.toMatchObject({ jwk: publicJwk });
    await expect(issuerKeys.find({ kid: 'never' }, urls.issuer, now)).rejects.toThrow('publishes no such key');
  });

  it('takes nothing from a key it has revoked, not even in development under its did:jwk', async () => {
    const { issuerKeys } = policyIn('development');
    const header = { kid: `${didJwk(revoked)}#0` };
    await expect(issuerKeys.find(header, didJwk(revoked), now)).rejects.toThrow('the key has been revoked');
  });
});
