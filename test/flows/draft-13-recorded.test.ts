import requests from '../../libs/openid4vc/src/recorded/credential-requests.json';
import tokens from '../../libs/openid4vc/src/recorded/token-requests.json';
import { type HolderAlgorithm, keyProof, type KeyNaming, newHolder } from '../support/wallets/key-proofs';
import { answered, type Json, postForm, postJson } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { credentialsOf, nonceFrom, type Offer, openSession, readOffer, redeem } from '../support/wallets/wallet';
import { contentOf } from '../support/wallets/credentials';
import wallets from './recorded/draft-13-wallets.json';

// What the specifications show and wallets send, verbatim except for single-use values: code and key proof.
const degree = 'UniversityDegreeCredential';
const sdJwt = 'SdJwtExample';
const vct = 'SD_JWT_VC_example_in_OpenID4VCI';

const service = serviceOfFile();
beforeAll(async () => {
  const type = ['VerifiableCredential', degree];
  await publishedTemplate(service.url, { templateId: degree, format: 'jwt_vc_json', vct: undefined, type });
  await publishedTemplate(service.url, { templateId: sdJwt, vct });
});

const issuer = (): string => `${service.url}/openid4vci`;
const draft13Credential = (): string => `${issuer()}/draft-13/credential`;

const isOurs = (body: Json): boolean => body['format'] === 'jwt_vc_json' || body['format'] === 'vc+sd-jwt';
const old = requests.requests.filter(({ source }) => !source.startsWith('OpenID4VCI 1.0'));

describe('a recorded credential request', () => {
  it.each(old.filter(({ body }) => isOurs(body)))('$source is answered with a credential', async ({ body }) => {
    const { link } = await prepareOffer(service.url, [degree, sdJwt]);
    const { accessToken, token } = await openSession(link, 'L13');
    const jwt = keyProof(newHolder(), issuer(), String(token['c_nonce']));
    const reply = await postJson(
      draft13Credential(),
      { ...body, proof: { ...(body as Json & { proof: object }).proof, jwt } },
      { authorization: `Bearer ${accessToken}` },
    );
    const { header } = contentOf(String(answered(200, reply)['credential']));
    expect(header['typ']).toBe(body.format === 'vc+sd-jwt' ? 'vc+sd-jwt' : 'JWT');
  });

  const others = old.filter(({ body }) => 'format' in body && !isOurs(body));
  it.each(others)('$source asks for a format that is not issued here', async ({ body }) => {
    const { accessToken } = await openSession((await prepareOffer(service.url, [degree])).link, 'L13');
    const reply = await postJson(draft13Credential(), body, { authorization: `Bearer ${accessToken}` });
    // The form of a proof is looked at before the configurations: mdocs are issued, proofs in CWT are read by nobody.
    expectRefusal(reply, 400, 'cwt' in (body.proof ?? {}) ? 'invalid_proof' : 'unsupported_credential_format');
  });
});

describe('a recorded token request', () => {
  const preAuthorized = tokens.requests.filter(({ form }) => form.includes('pre-authorized_code&'));
  it.each(preAuthorized)('$source is answered with a token', async ({ form }) => {
    const { link, txCode = '' } = await prepareOffer(service.url, [degree], { txCode: true });
    const { code } = await readOffer(link);
    const live = form.replace('SplxlOBeZQQYbYS6WxSbIA', code).replace('493536', txCode);
    const answer = answered(200, await postForm(`${issuer()}/token`, live));
    expect('authorization_details' in answer).toBe(form.includes('authorization_details'));
  });
});

describe('a wallet in the field', () => {
  it.each(wallets.wallets)('$source', async ({ token, algorithm, naming, claims, body }) => {
    const id = 'vct' in body ? sdJwt : degree;
    const { link, txCode = '' } = await prepareOffer(service.url, [id], { txCode: true });
    const offer = await readOffer(link);
    const granted = answered(200, await postForm(`${offer.issuer}/token`, withCodes(token, offer, txCode)));
    const holder = newHolder(algorithm as HolderAlgorithm, naming as KeyNaming);
    const filled = JSON.parse(
      JSON.stringify(claims)
        .replace('<issuer>', offer.issuer)
        .replace('<did>', holder.did ?? ''),
    ) as Json;
    const jwt = keyProof(holder, offer.issuer, String(granted['c_nonce']), { claims: filled });
    const reply = await postJson(draft13Credential(), JSON.stringify(body).replace('<jwt>', jwt), {
      authorization: `Bearer ${String(granted['access_token'])}`,
    });
    const [credential = ''] = credentialsOf(answered(200, reply));
    expect(contentOf(credential).claims).toMatchObject({ given_name: 'Erika' });
  });

  it('that uses a nonce of the endpoint is served, too', async () => {
    const offer = await readOffer((await prepareOffer(service.url, [degree])).link);
    const granted = answered(200, await redeem(offer));
    const jwt = keyProof(newHolder(), offer.issuer, await nonceFrom(offer.issuer));
    const body = { credential_configuration_id: degree, proof: { proof_type: 'jwt', jwt } };
    const authorization = `Bearer ${String(granted['access_token'])}`;
    answered(200, await postJson(draft13Credential(), body, { authorization }));
  });
});

function withCodes(form: string, { code }: Offer, txCode: string): string {
  return form.replace('<code>', encodeURIComponent(code)).replace('<tx_code>', txCode);
}
