import { renderRequestObject } from './authorization-request';
import { clientIdOf, isSignedRequest, type PrefixedClient } from './client-id';
import { parseDcqlQuery } from '../dcql/dcql-query';
import { renderRequestLink } from './request-link';
import { type FinalRequest } from './wire-request';
import { walletUrls } from '../metadata/wallet-urls';

const urls = walletUrls('https://verifier.example.com');
const asked = (variant: FinalRequest['variant'], client: PrefixedClient): FinalRequest => ({
  variant,
  client,
  responseUri: urls.presentationResponse(variant, 'handle-1'),
  nonce: 'nonce-1',
  state: 'state-1',
  issuedAt: 1_700_000_000,
  expiresAt: 4_102_444_800,
  algorithms: ['ES256'],
  responseType: 'vp_token',
  query: parseDcqlQuery({
    credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }],
  }),
});
const linkTo = (request: FinalRequest) =>
  renderRequestLink(request, { requestUri: urls.presentationRequest(request.variant, 'handle-1'), post: true });

describe('the client identifier of OpenID4VP 1.0', () => {
  it.each<[PrefixedClient, boolean]>([
    [{ prefix: 'decentralized_identifier', name: 'did:web:verifier.example.com' }, true],
    [{ prefix: 'x509_hash', name: 'dGhl' }, true],
    [{ prefix: 'x509_san_dns', name: 'verifier.example.com' }, true],
    [{ prefix: 'redirect_uri', name: urls.presentationResponse('final', 'handle-1') }, false],
  ])('has the prefix of %p, in the link and in the request', (client, isSigned) => {
    const request = asked('final', client);
    const expected = `${client.prefix}:${client.name}`;
    expect([clientIdOf(request), isSignedRequest(request)]).toEqual([expected, isSigned]);
    expect(new URL(linkTo(request)).searchParams.get('client_id')).toBe(expected);
    if (isSigned) expect(renderRequestObject(request).payload['client_id']).toBe(expected);
  });
});

describe('the request for wallets of HAIP', () => {
  const client = { prefix: 'x509_hash', name: 'dGhl' } as const;

  it('is the one of 1.0 in the name of a certificate, answered at an address of its own', () => {
    const final = renderRequestObject(asked('final', client)).payload;
    const haip = renderRequestObject(asked('haip', client)).payload;
    const responseUri = 'https://verifier.example.com/openid4vp/haip/handle-1/response';
    expect(haip).toEqual({ ...final, response_uri: responseUri });
  });

  it('has a link with a scheme of its own', () => {
    const address = 'https%3A%2F%2Fverifier.example.com%2Fopenid4vp%2Fhaip%2Fhandle-1%2Frequest';
    expect(linkTo(asked('haip', client))).toBe(
      `haip-vp://?client_id=x509_hash%3AdGhl&request_uri=${address}&request_uri_method=post`,
    );
  });

  it('passes on what others attest about the verifier, as that of 1.0 does', () => {
    const verifierInfo = [{ format: 'registration_cert', data: 'eyJ.e30.c2ln', credential_ids: ['pid'] }];
    for (const variant of ['final', 'haip'] as const) {
      const { payload } = renderRequestObject({ ...asked(variant, client), verifierInfo });
      expect(payload['verifier_info']).toEqual(verifierInfo);
      expect(renderRequestObject(asked(variant, client)).payload).not.toHaveProperty('verifier_info');
    }
  });
});
