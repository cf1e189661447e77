import { zAuthorizationServerMetadata, zJwkSet } from '@openid4vc/oauth2';
import { renderAuthorizationServerMetadata } from './authorization-server-metadata';
import { renderDidDocument } from './did-document';
import { renderJwtVcIssuerMetadata } from './jwt-vc-issuer-metadata';
import { type JwksKey, renderJwks } from '../wire/public-jwk';
import { walletUrls } from './wallet-urls';

const urls = walletUrls('https://example.com/one');
const coordinates = {
  x: 'nUWAoAv3XZith8E7i19OdaxOLYFOwM-Z2EuM02TirT4',
  y: 'HskHU8BjUi1U9Xqi7Swmj8gwAK_0xkcDjEW_71SosEY',
};
// A key that brings a private member by mistake.
const ecKey = { kty: 'EC', crv: 'P-256', ...coordinates, d: 'secret' };
const keys: JwksKey[] = [
  { kid: 'key-1', publicJwk: ecKey, algorithm: 'ES256' },
  { kid: 'key-2', publicJwk: { kty: 'OKP', crv: 'Ed25519', x: coordinates.x }, algorithm: 'EdDSA' },
];
const first = { kty: 'EC', crv: 'P-256', ...coordinates, kid: 'key-1', alg: 'ES256', use: 'sig' };
const second = { kty: 'OKP', crv: 'Ed25519', x: coordinates.x, kid: 'key-2', alg: 'EdDSA', use: 'sig' };

describe('the key set', () => {
  it('shows the public members only', () => {
    expect(renderJwks(keys)).toEqual({ keys: [first, second] });
    expect(zJwkSet.safeParse(renderJwks(keys)).success).toBe(true);
  });
});

describe('the DID document', () => {
  it('lists every key for credentials and requests under did#kid', () => {
    const did = 'did:web:example.com:one';
    expect(renderDidDocument(urls.did, keys)).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: did,
      verificationMethod: [
        { id: `${did}#key-1`, type: 'JsonWebKey2020', controller: did, publicKeyJwk: first },
        { id: `${did}#key-2`, type: 'JsonWebKey2020', controller: did, publicKeyJwk: second },
      ],
      authentication: [`${did}#key-1`, `${did}#key-2`],
      assertionMethod: [`${did}#key-1`, `${did}#key-2`],
    });
  });
});

describe('the JWT VC issuer metadata', () => {
  it('names the issuer and its keys, and no second place for them', () => {
    expect(renderJwtVcIssuerMetadata(urls, keys)).toEqual({
      issuer: 'https://example.com/one/openid4vci',
      jwks: { keys: [first, second] },
    });
  });
});

describe('the authorization server metadata', () => {
  it('is read by a client, and says that requests are pushed and what they may ask for', () => {
    const document = renderAuthorizationServerMetadata({
      urls,
      scopes: ['diploma', 'card', 'card'],
      clients: { methods: ['none'] },
    });
    expect(zAuthorizationServerMetadata.parse(document)).toEqual({
      issuer: 'https://example.com/one/openid4vci',
      authorization_endpoint: 'https://example.com/one/authorize',
      token_endpoint: 'https://example.com/one/openid4vci/token',
      pushed_authorization_request_endpoint: 'https://example.com/one/openid4vci/par',
      require_pushed_authorization_requests: true,
      scopes_supported: ['diploma', 'card'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      jwks_uri: 'https://example.com/one/jwks.json',
      revocation_endpoint: 'https://example.com/one/openid4vci/revoke',
      revocation_endpoint_auth_methods_supported: ['none'],
      dpop_signing_alg_values_supported: ['ES256', 'ES384', 'Ed25519'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:pre-authorized_code',
      ],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
      'pre-authorized_grant_anonymous_access_supported': true,
      authorization_details_types_supported: ['openid_credential'],
      status_list_aggregation_endpoint: 'https://example.com/one/status_lists',
    });
  });
});
