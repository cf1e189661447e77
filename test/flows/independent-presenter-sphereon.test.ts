import type { HeldCredential } from '../support/presenters/independent/credentials';
import { startPracticeVerifier, type PracticeVerifier } from '../support/presenters/independent/practice-verifier';
import { presentWithSphereon } from '../support/presenters/independent/sphereon';
import { newHolder } from '../support/wallets/independent/holder';
import { freshKey, practiceCredentials, vct } from '../support/wallets/independent/practice-credentials';

let verifier: PracticeVerifier;
let credentials: HeldCredential[];
const holder = newHolder('ES256', 'did:jwk');

beforeAll(async () => {
  verifier = await startPracticeVerifier();
  const by = { issuer: 'https://issuer.example', did: 'did:web:issuer.example' };
  const issuer = practiceCredentials({ ...by, issuerKey: await freshKey(), forgedKey: await freshKey() });
  const did = holder.kid?.split('#')[0] ?? '';
  const bound = { jwk: holder.publicJwk, did };
  credentials = [
    { credential: await issuer.jwtVc(bound, undefined), holder },
    { credential: await issuer.sdJwtVc(bound, true, undefined), holder },
  ];
});

afterAll(() => verifier.close());

const descriptors = {
  membership: {
    id: 'membership',
    format: { 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } },
    constraints: {
      limit_disclosure: 'required',
      fields: [{ path: ['$.vct'], filter: { type: 'string', const: vct } }, { path: ['$.given_name'] }],
    },
  },
  degree: {
    id: 'degree',
    // Presentation Exchange registers jwt_vc; this library knows no other name.
    format: { jwt_vc_json: { alg: ['ES256'] }, jwt_vc: { alg: ['ES256'] } },
    constraints: {
      fields: [{ path: ['$.vc.type', '$.type'], filter: { type: 'array', contains: { const: 'PracticeDegree' } } }],
    },
  },
};
const shown = {
  membership: { given_name: 'Ada', levels: ['silver'] },
  degree: { degree: { name: 'Bachelor of Practice' } },
};

describe('the SIOPv2 library of Sphereon', () => {
  it.each([
    ['membership', false],
    ['membership', true],
    ['degree', false],
    ['degree', true],
  ] as const)('answers a draft 20 request with a %s; encrypted: %s', async (name, encrypted) => {
    const query = { id: 'one', input_descriptors: [descriptors[name]] };
    const link = await verifier.link({ as: 'draft-20', query, encrypted });
    const outcome = await presentWithSphereon(link, credentials, holder);
    expect(outcome).toEqual({ status: 200, body: {} });
    expect(verifier.answers.at(-1)?.presentations).toMatchObject({ [name]: { bound: true, claims: shown[name] } });
  });

  it('answers a draft 20 request with an ID token next to the presentation', async () => {
    const query = { id: 'one', input_descriptors: [descriptors.degree] };
    const link = await verifier.link({ as: 'draft-20', query, responseType: 'vp_token id_token' });
    expect(await presentWithSphereon(link, credentials, holder)).toEqual({ status: 200, body: {} });
    expect(verifier.answers.at(-1)).toMatchObject({
      presentations: { degree: { bound: true } },
      idToken: { sub: holder.kid?.split('#')[0] },
    });
  });

  it('answers a SIOPv2 request with an ID token alone', async () => {
    const link = await verifier.link({ as: 'siopv2' });
    expect(await presentWithSphereon(link, credentials, holder)).toEqual({ status: 200, body: {} });
    expect(verifier.answers.at(-1)?.idToken?.sub).toBe(holder.kid?.split('#')[0]);
  });
});
