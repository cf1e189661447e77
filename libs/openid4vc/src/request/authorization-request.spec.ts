import type { CallbackContext } from '@openid4vc/oauth2';
import { Openid4vpClient, parseAuthorizationRequestVersion } from '@openid4vc/openid4vp';
import { renderRequestObject } from './authorization-request';
import {
  type ExpectedResponse,
  parseAuthorizationResponse,
  parseDecryptedResponse,
} from '../response/authorization-response';
import { clientIdOf } from './client-id';
import { RESPONSE_ENCRYPTION } from './client-metadata';
import { parseDcqlQuery } from '../dcql/dcql-query';
import { derivePresentationDefinition } from './presentation-definition';
import recordedPresentations from '../recorded/presentations.json';
import { renderRequestLink } from './request-link';
import {
  type WireRequest,
  type Draft20RedirectRequest,
  type Draft20Request,
  type FinalRequest,
  type ResponseEncryptionKey,
  type SiopRequest,
} from './wire-request';
import { LINK_VARIANTS, type LinkVariant } from '../wire/request-variant';
import { walletUrls } from '../metadata/wallet-urls';

const urls = walletUrls('https://verifier.example.com');
const query = parseDcqlQuery({
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://example.com/pid'] },
      claims: [{ path: ['full name'] }],
    },
    { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['Degree']] } },
  ],
});
const algorithms = ['ES256', 'EdDSA', 'Ed25519'];
const derived = (variant: 'draft-20' | 'draft-20-redirect', ids: string[]) => {
  const part = { credentials: query.credentials.filter(({ id }) => ids.includes(id)) };
  const derivation = derivePresentationDefinition(part, 'definition-1', { variant, algorithms });
  if ('unavailable' in derivation) throw new Error(derivation.unavailable);
  return derivation;
};
const did = 'did:web:verifier.example.com';
const anyVariant = (variant: LinkVariant) => ({
  responseUri: urls.presentationResponse(variant, 'handle-1'),
  nonce: 'nonce-1',
  state: 'state-1',
  issuedAt: 1_700_000_000,
  expiresAt: 4_102_444_800,
  algorithms,
});
const encryption: ResponseEncryptionKey = {
  kid: 'enc-1',
  // The member `d` of a private key is here to see that it is not published.
  jwk: { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', d: 'ZA' } as ResponseEncryptionKey['jwk'],
};
const publishedKey = { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ', kid: 'enc-1', use: 'enc', alg: 'ECDH-ES' };
const final: FinalRequest = {
  ...anyVariant('final'),
  variant: 'final',
  client: { prefix: 'decentralized_identifier', name: did },
  responseType: 'vp_token',
  query,
};
const draft20: Draft20Request = {
  ...anyVariant('draft-20'),
  variant: 'draft-20',
  did,
  responseType: 'vp_token',
  definition: derived('draft-20', ['pid', 'degree']).definition,
};
const redirect: Draft20RedirectRequest = {
  ...anyVariant('draft-20-redirect'),
  variant: 'draft-20-redirect',
  did,
  definition: derived('draft-20-redirect', ['degree']).definition,
};
const siop: SiopRequest = { ...anyVariant('siopv2'), variant: 'siopv2', did };
const unsigned: FinalRequest = { ...final, client: { prefix: 'redirect_uri', name: final.responseUri } };
const payload = (request: WireRequest) => renderRequestObject(request).payload;
const requestUri = (request: WireRequest) => urls.presentationRequest(request.variant, 'handle-1');
const link = (request: WireRequest, post = false) =>
  renderRequestLink(request, { requestUri: requestUri(request), post });
const sdJwtBy = (...names: string[]) => ({ 'sd-jwt_alg_values': names, 'kb-jwt_alg_values': names });
const earlier = ['ES256', 'EdDSA'];
const subject_syntax_types_supported = ['urn:ietf:params:oauth:jwk-thumbprint', 'did:jwk', 'did:key', 'did:web'];

describe('a request object', () => {
  it('of 1.0 asks by DCQL under the prefixed client identifier', () => {
    expect(renderRequestObject(final)).toEqual({
      header: { typ: 'oauth-authz-req+jwt' },
      payload: {
        aud: 'https://self-issued.me/v2',
        iat: 1_700_000_000,
        exp: 4_102_444_800,
        client_id: 'decentralized_identifier:did:web:verifier.example.com',
        response_type: 'vp_token',
        response_mode: 'direct_post',
        response_uri: 'https://verifier.example.com/openid4vp/final/handle-1/response',
        nonce: 'nonce-1',
        state: 'state-1',
        dcql_query: query,
        client_metadata: {
          vp_formats_supported: { 'dc+sd-jwt': sdJwtBy('ES256', 'Ed25519'), jwt_vc_json: { alg_values: algorithms } },
        },
      },
    });
  });

  it('of drafts 18 to 24 asks by presentation definition under the bare DID', () => {
    expect(payload(draft20)).toEqual({
      iss: 'did:web:verifier.example.com',
      aud: 'https://self-issued.me/v2',
      iat: 1_700_000_000,
      exp: 4_102_444_800,
      client_id: 'did:web:verifier.example.com',
      client_id_scheme: 'did',
      response_type: 'vp_token',
      response_mode: 'direct_post',
      response_uri: 'https://verifier.example.com/openid4vp/draft-20/handle-1/response',
      nonce: 'nonce-1',
      state: 'state-1',
      presentation_definition: draft20.definition,
      client_metadata: {
        vp_formats: {
          jwt_vc_json: { alg: earlier },
          jwt_vp_json: { alg: earlier },
          'vc+sd-jwt': sdJwtBy(...earlier),
        },
      },
    });
  });

  it('for redirect wallets has what they cannot do without, and no name they do not know', () => {
    const { response_uri, redirect_uri, ...rest } = payload(redirect);
    expect(response_uri).toBeUndefined();
    expect(redirect_uri).toBe('https://verifier.example.com/openid4vp/draft-20-redirect/handle-1/response');
    expect(rest).toMatchObject({
      client_id: 'did:web:verifier.example.com',
      client_id_scheme: 'did',
      scope: 'openid',
      response_type: 'vp_token',
      response_mode: 'direct_post',
    });
    expect(rest['client_metadata']).toEqual({
      vp_formats: { jwt_vc_json: { alg: earlier }, jwt_vp_json: { alg: earlier } },
      subject_syntax_types_supported,
    });
    expect(redirect.definition.input_descriptors[0]?.format).toEqual({ jwt_vc_json: { alg: earlier } });
  });

  it('of SIOPv2 asks for a self-signed ID Token at redirect_uri', () => {
    expect(payload(siop)).toEqual({
      iss: 'did:web:verifier.example.com',
      aud: 'https://self-issued.me/v2',
      iat: 1_700_000_000,
      exp: 4_102_444_800,
      client_id: 'did:web:verifier.example.com',
      scope: 'openid',
      response_type: 'id_token',
      id_token_type: 'subject_signed_id_token',
      response_mode: 'direct_post',
      redirect_uri: 'https://verifier.example.com/openid4vp/siopv2/handle-1/response',
      nonce: 'nonce-1',
      state: 'state-1',
      client_metadata: { subject_syntax_types_supported, id_token_signed_response_alg: 'ES256' },
    });
    const example = new URL(recordedPresentations.siop.request).searchParams;
    const metadata = Object.keys(JSON.parse(example.get('client_metadata') ?? '') as object);
    expect(payload(siop)['client_metadata']).toEqual(
      Object.fromEntries(metadata.map((key) => [key, expect.anything()])),
    );
  });

  it.each<[string, WireRequest, string[]]>([
    ['1.0', final, ['client_id_scheme', 'scope', 'redirect_uri', 'presentation_definition', 'transaction_data', 'iss']],
    ['draft 20', draft20, ['dcql_query', 'redirect_uri', 'scope']],
    ['redirect wallets', redirect, ['dcql_query', 'response_uri']],
    ['SIOPv2', siop, ['dcql_query', 'presentation_definition', 'response_uri', 'client_id_scheme']],
  ])('of %s never contains what would make a wallet of that kind refuse', (_variant, request, names) => {
    const rendered = payload(request);
    for (const name of [...names, 'sub', 'request', 'request_uri', 'request_uri_method', 'client_metadata_uri']) {
      expect(rendered).not.toHaveProperty(name);
    }
  });

  it.each<[string, FinalRequest | Draft20Request]>([
    ['1.0', final],
    ['draft 20', draft20],
  ])('of %s asks for an ID Token next to the presentations with the parameters of SIOPv2', (_variant, request) => {
    expect(payload({ ...request, responseType: 'vp_token id_token' })).toMatchObject({
      response_type: 'vp_token id_token',
      scope: 'openid',
      id_token_type: 'subject_signed_id_token',
      client_metadata: { subject_syntax_types_supported, id_token_signed_response_alg: 'ES256' },
    });
  });

  it('announces its encryption key, without the private part, in the words of the variant', () => {
    expect(payload({ ...final, encryption })).toMatchObject({
      response_mode: 'direct_post.jwt',
      client_metadata: { encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'] },
    });
    expect(payload({ ...draft20, encryption })).toMatchObject({
      response_mode: 'direct_post.jwt',
      client_metadata: {
        authorization_encrypted_response_alg: 'ECDH-ES',
        authorization_encrypted_response_enc: 'A256GCM',
      },
    });
    for (const request of [final, draft20]) {
      const metadata = payload({ ...request, encryption })['client_metadata'] as Record<string, unknown>;
      expect(metadata['jwks']).toEqual({ keys: [publishedKey] });
    }
  });

  it('repeats the nonce of the wallet', () => {
    expect(payload({ ...final, walletNonce: 'qPmx' })).toMatchObject({ wallet_nonce: 'qPmx' });
  });

  it('does not exist for a client that is its own redirect URI', () => {
    expect(() => renderRequestObject(unsigned)).toThrow(TypeError);
  });
});

describe('a request link', () => {
  it.each<[LinkVariant, WireRequest, string]>([
    ['final', final, 'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example.com&request_uri='],
    ['draft-20', draft20, 'openid4vp://?client_id=did%3Aweb%3Averifier.example.com&client_id_scheme=did&request_uri='],
    [
      'draft-20-redirect',
      redirect,
      'openid://?client_id=did%3Aweb%3Averifier.example.com&client_id_scheme=did&request_uri=',
    ],
    ['siopv2', siop, 'siopv2://?client_id=did%3Aweb%3Averifier.example.com&request_uri='],
  ])('of %s names the client and where the request is', (variant, request, beginning) => {
    const address = `https%3A%2F%2Fverifier.example.com%2Fopenid4vp%2F${variant}%2Fhandle-1%2Frequest`;
    expect(link(request)).toBe(beginning + address);
    expect(new URL(link(request)).searchParams.get('client_id')).toBe(payload(request)['client_id']);
    expect(LINK_VARIANTS).toContain(variant);
  });

  it('invites to POST in 1.0 only', () => {
    expect(link(final, true)).toBe(`${link(final)}&request_uri_method=post`);
    expect(link(draft20, true)).toBe(link(draft20));
  });

  it('holds the whole request when it cannot be signed', () => {
    const parameters = Object.fromEntries(new URL(link(unsigned)).searchParams);
    expect(link(unsigned)).not.toContain('+');
    expect({
      ...parameters,
      dcql_query: JSON.parse(parameters['dcql_query'] ?? ''),
      client_metadata: JSON.parse(parameters['client_metadata'] ?? ''),
    }).toEqual({
      client_id: `redirect_uri:${final.responseUri}`,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      response_uri: final.responseUri,
      nonce: 'nonce-1',
      state: 'state-1',
      dcql_query: query,
      client_metadata: payload(final)['client_metadata'],
    });
  });
});

/** A public client library reads our requests and answers them; its reading is the judge. */
describe('a client library', () => {
  const jwt = ({ header, payload: claims }: ReturnType<typeof renderRequestObject>) => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const kid = 'did:web:verifier.example.com#key-1';
    return `${encode({ ...header, alg: 'ES256', kid })}.${encode(claims)}.c2ln`;
  };
  const client = (request: WireRequest) => {
    const fail = () => Promise.reject(new Error('not part of this conversation'));
    const callbacks = {
      fetch: (url: unknown) => {
        expect(url).toBe(requestUri(request));
        return Promise.resolve(new Response(jwt(renderRequestObject(request)), { status: 200 }));
      },
      verifyJwt: () => Promise.resolve({ verified: true, signerJwk: { kty: 'EC' } }),
      encryptJwe: ({ alg, enc, publicJwk }: { alg: string; enc: string; publicJwk: object }, data: string) => {
        expect(publicJwk).toEqual(publishedKey);
        const header = Buffer.from(JSON.stringify({ alg, enc, kid: 'enc-1' })).toString('base64url');
        return Promise.resolve({ jwe: `${header}..aXY.${Buffer.from(data).toString('base64url')}.dGFn` });
      },
      decryptJwe: fail,
      signJwt: fail,
    };
    return new Openid4vpClient({ callbacks: callbacks as unknown as CallbackContext });
  };
  const resolve = async (request: WireRequest, uri = link(request)) => {
    const openid4vp = client(request);
    const { params } = openid4vp.parseOpenid4vpAuthorizationRequest({ authorizationRequest: uri });
    return openid4vp.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params });
  };
  const answer = async (request: WireRequest, tokens: object) => {
    const resolved = await resolve(request);
    const supported = { alg: ['ECDH-ES'], enc: ['A256GCM', 'A128GCM'] };
    const { authorizationResponsePayload, jarm } = await client(request).createOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: resolved.authorizationRequestPayload,
      authorizationResponsePayload: tokens as never,
      ...('encryption' in request && {
        jarm: {
          encryption: { nonce: 'mdoc-nonce' },
          serverMetadata: {
            authorization_signing_alg_values_supported: [],
            authorization_encryption_alg_values_supported: supported.alg,
            authorization_encryption_enc_values_supported: supported.enc,
          },
        },
      }),
    });
    if (jarm !== undefined) return { response: jarm.responseJwt };
    const text = Object.entries(authorizationResponsePayload).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return Object.fromEntries(text) as Record<string, string>;
  };
  const read = (form: Record<string, string>, expected: ExpectedResponse) => {
    const response = parseAuthorizationResponse(new URLSearchParams(form), expected);
    if (response.kind !== 'encrypted') return response;
    const plaintext = Buffer.from(response.jwe.split('.')[3] ?? '', 'base64url').toString();
    return parseDecryptedResponse(plaintext, response, expected);
  };

  it('takes each request for the version it is made for', async () => {
    expect(parseAuthorizationRequestVersion(payload(final) as never)).toBe(100);
    expect(parseAuthorizationRequestVersion(payload(draft20) as never)).toBe(21);
    const resolved = await resolve(final);
    expect(resolved).toMatchObject({
      version: 100,
      dcql: { query },
      client: { prefix: 'decentralized_identifier', effective: clientIdOf(final) },
      jar: { jwt: { header: { typ: 'oauth-authz-req+jwt' } } },
    });
    expect(await resolve(draft20)).toMatchObject({
      version: 21,
      pex: { presentation_definition: draft20.definition },
      client: { prefix: 'decentralized_identifier', effective: clientIdOf(draft20) },
    });
  });

  it('takes an unsigned request from the link alone', async () => {
    expect(await resolve(unsigned)).toMatchObject({
      version: 100,
      dcql: { query },
      client: { prefix: 'redirect_uri', effective: clientIdOf(unsigned) },
    });
  });

  it.each<[string, FinalRequest]>([
    ['in the clear', final],
    ['encrypted', { ...final, encryption }],
  ])('answers a 1.0 request %s, and we understand it', async (_how, request) => {
    const form = await answer(request, { vp_token: { pid: ['a~b'], degree: ['c'] } });
    const expected: ExpectedResponse = {
      state: 'state-1',
      idToken: false,
      presentations: { by: 'dcql', query },
      ...('encryption' in request && { encryption: RESPONSE_ENCRYPTION.final }),
    };
    expect(read(form, expected)).toEqual({
      kind: 'presentations',
      byQueryId: { pid: [{ token: 'a~b' }], degree: [{ token: 'c' }] },
    });
  });

  it.each<[string, Draft20Request]>([
    ['in the clear', draft20],
    ['encrypted', { ...draft20, encryption }],
  ])('answers a draft 20 request %s, and we understand it', async (_how, request) => {
    const descriptor_map = [
      { id: 'pid', format: 'vc+sd-jwt', path: '$[0]' },
      {
        id: 'degree',
        format: 'jwt_vp_json',
        path: '$[1]',
        path_nested: { format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' },
      },
    ];
    const presentation_submission = { id: 's', definition_id: 'definition-1', descriptor_map };
    const form = await answer(request, { vp_token: ['a~b', 'c'], presentation_submission });
    const { descriptorToQueryId } = derived('draft-20', ['pid', 'degree']);
    const expected: ExpectedResponse = {
      state: 'state-1',
      idToken: false,
      presentations: { by: 'submission', query, definitionId: 'definition-1', descriptorToQueryId },
      ...('encryption' in request && { encryption: RESPONSE_ENCRYPTION['draft-20'] }),
    };
    expect(read(form, expected)).toEqual({
      kind: 'presentations',
      byQueryId: { pid: [{ token: 'a~b' }], degree: [{ token: 'c', credentialIndex: 0 }] },
    });
  });
});
