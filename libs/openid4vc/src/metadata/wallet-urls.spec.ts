import { walletUrls } from './wallet-urls';

describe('wallet addresses', () => {
  it('stand below a bare origin', () => {
    const urls = walletUrls('https://issuer.example.com');
    expect(urls).toMatchObject({
      issuer: 'https://issuer.example.com/openid4vci',
      issuerMetadata: 'https://issuer.example.com/.well-known/openid-credential-issuer/openid4vci',
      draft13IssuerMetadata: 'https://issuer.example.com/openid4vci/.well-known/openid-credential-issuer',
      authorizationServerMetadata: 'https://issuer.example.com/.well-known/oauth-authorization-server/openid4vci',
      authorizationServerMetadataAppended:
        'https://issuer.example.com/openid4vci/.well-known/oauth-authorization-server',
      openidConfiguration: 'https://issuer.example.com/openid4vci/.well-known/openid-configuration',
      openidConfigurationInserted: 'https://issuer.example.com/.well-known/openid-configuration/openid4vci',
      jwtVcIssuer: 'https://issuer.example.com/.well-known/jwt-vc-issuer/openid4vci',
      token: 'https://issuer.example.com/openid4vci/token',
      nonce: 'https://issuer.example.com/openid4vci/nonce',
      challenge: 'https://issuer.example.com/openid4vci/challenge',
      credential: 'https://issuer.example.com/openid4vci/credential',
      draft13Credential: 'https://issuer.example.com/openid4vci/draft-13/credential',
      draft13BatchCredential: 'https://issuer.example.com/openid4vci/draft-13/batch_credential',
      notification: 'https://issuer.example.com/openid4vci/notification',
      jwks: 'https://issuer.example.com/jwks.json',
      did: 'did:web:issuer.example.com',
      didDocument: 'https://issuer.example.com/.well-known/did.json',
    });
    expect(urls.offer('a/b')).toBe('https://issuer.example.com/openid4vci/offers/a%2Fb');
    expect(urls.vct('degree', 2)).toBe('https://issuer.example.com/vct/degree/2');
    expect([urls.vct('degree', 2), 'https://issuer.example.com/vct', 'urn:x'].map(urls.isOwnType)).toEqual([
      true,
      false,
      false,
    ]);
    expect(urls.image('a.png')).toBe('https://issuer.example.com/images/a.png');
    expect([urls.image('a.png'), 'https://issuer.example/images/a.png'].map(urls.imageAt)).toEqual([
      'a.png',
      undefined,
    ]);
    expect(urls.statusLists).toBe('https://issuer.example.com/status_lists');
    expect(urls.statusList('one')).toBe('https://issuer.example.com/status_lists/one');
    expect(urls.bitstringStatusList('one', 'revocation')).toBe(
      'https://issuer.example.com/status_lists/one/revocation',
    );
    expect(urls.presentationRequest('final', 'a/b')).toBe('https://issuer.example.com/openid4vp/final/a%2Fb/request');
    expect(urls.presentationResponse('siopv2', 'h')).toBe('https://issuer.example.com/openid4vp/siopv2/h/response');
  });

  it('keep the path of the public URL, which well-known names go before', () => {
    expect(walletUrls('https://example.com/tenants/one/')).toMatchObject({
      issuer: 'https://example.com/tenants/one/openid4vci',
      issuerMetadata: 'https://example.com/.well-known/openid-credential-issuer/tenants/one/openid4vci',
      draft13IssuerMetadata: 'https://example.com/tenants/one/openid4vci/.well-known/openid-credential-issuer',
      authorizationServerMetadata: 'https://example.com/.well-known/oauth-authorization-server/tenants/one/openid4vci',
      jwtVcIssuer: 'https://example.com/.well-known/jwt-vc-issuer/tenants/one/openid4vci',
      jwks: 'https://example.com/tenants/one/jwks.json',
      did: 'did:web:example.com:tenants:one',
      didDocument: 'https://example.com/tenants/one/did.json',
    });
  });

  it('encode the port in the DID and nowhere else', () => {
    expect(walletUrls('http://192.168.1.10:3033')).toMatchObject({
      issuer: 'http://192.168.1.10:3033/openid4vci',
      did: 'did:web:192.168.1.10%3A3033',
      didDocument: 'http://192.168.1.10:3033/.well-known/did.json',
    });
    expect(walletUrls('http://localhost:3033/x').did).toBe('did:web:localhost%3A3033:x');
  });

  it('are spelled one way, since wallets compare them byte by byte', () => {
    expect(walletUrls('https://Issuer.Example.com:443/').issuer).toBe('https://issuer.example.com/openid4vci');
  });

  it.each(['ftp://example.com', 'https://user@example.com', 'https://example.com/?a=1', 'https://example.com/#x', 'x'])(
    'are refused for %s',
    (publicUrl) => {
      expect(() => walletUrls(publicUrl)).toThrow(/URL/);
    },
  );
});
