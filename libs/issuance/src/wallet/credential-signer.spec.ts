import { walletUrls } from '@app/openid4vc';
import type { GrantKind } from '@app/offers';
import type { ServiceIdentity } from '@app/identity';
import type { IssuableConfiguration } from '@app/templates';
import { Logger } from '@nestjs/common';
import { CredentialSigner, type SignedTerms } from './credential-signer';

const certifiedUntil = new Date('2027-11-22T00:00:00Z');
const recorded = { configuration: { format: 'dc+sd-jwt' } } as never;

async function signed(
  identity: { keyId: string; certifiedUntil?: Date },
  expiresAt: (Date | undefined)[],
): Promise<unknown[][]> {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const signer = new CredentialSigner({} as ServiceIdentity, walletUrls('https://credentials.example'));
  const name = { id: 'https://credentials.example/openid4vci', sign: () => Promise.resolve(''), ...identity };
  for (const each of expiresAt) {
    const terms: SignedTerms = { formatName: 'dc+sd-jwt', issuedAt: new Date(0), expiresAt: each };
    await signer.sign(recorded, [], terms, name);
  }
  const { calls } = warn.mock;
  warn.mockRestore();
  return calls;
}

describe('the name of the issuer', () => {
  const configuration = {
    format: 'dc+sd-jwt',
    issuerIdentifier: 'did',
    signingAlgorithm: 'ES256',
    isIssuerDefault: true,
  };
  const nameFor = (changes: object, kind: GrantKind, isCertified = true): string => {
    const identity = { certified: () => (isCertified ? {} : undefined) } as unknown as ServiceIdentity;
    const signer = new CredentialSigner(identity, walletUrls('https://credentials.example'));
    const asked = { ...configuration, ...changes } as IssuableConfiguration;
    return signer.forWallet(asked, { kind, hash: Buffer.alloc(32) }).issuerIdentifier;
  };

  it('is the one that a certificate vouches for when a wallet comes by authorization code and none was chosen', () => {
    expect(nameFor({}, 'authorization_code')).toBe('https');
  });

  it.each<[string, object, GrantKind, boolean]>([
    ['by pre-authorized code', {}, 'pre-authorized_code', true],
    ['without a certificate', {}, 'authorization_code', false],
    ['where the DID was chosen', { isIssuerDefault: undefined }, 'authorization_code', true],
    ['of a format that HAIP does not profile', { format: 'jwt_vc_json' }, 'authorization_code', true],
  ])('stays as it is %s', (_, changes, kind, isCertified) => {
    expect(nameFor(changes, kind, isCertified)).toBe('did');
  });
});

describe('a credential under a certificate', () => {
  it.each([
    ['later than it', new Date('2027-11-22T00:00:01Z')],
    ['never', undefined],
  ])('that ends %s is reported once', async (_, expiresAt) => {
    expect(await signed({ keyId: 'k', certifiedUntil }, [expiresAt, expiresAt])).toEqual([
      [
        { event: 'certificates.outlived', keyId: 'k', notAfter: '2027-11-22T00:00:00Z' },
        'Credentials outlive their certificate',
      ],
    ]);
  });

  it('that ends with it or has none is not reported', async () => {
    expect(await signed({ keyId: 'k', certifiedUntil }, [certifiedUntil])).toEqual([]);
    expect(await signed({ keyId: 'k' }, [undefined])).toEqual([]);
  });
});
