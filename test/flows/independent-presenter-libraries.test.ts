import type { HeldCredential } from '../support/presenters/independent/credentials';
import { presentWithOpenid4vc } from '../support/presenters/independent/openid4vc';
import { startPracticeVerifier, type PracticeVerifier } from '../support/presenters/independent/practice-verifier';
import { newHolder } from '../support/wallets/independent/holder';
import { freshKey, practiceCredentials, vct } from '../support/wallets/independent/practice-credentials';

// The presenters of the tests of the service answer the practice verifier here: a failure there is then
// known to be the service's.
let verifier: PracticeVerifier;
let credentials: HeldCredential[];

beforeAll(async () => {
  verifier = await startPracticeVerifier();
  const by = { issuer: 'https://issuer.example', did: 'did:web:issuer.example' };
  const issuer = practiceCredentials({ ...by, issuerKey: await freshKey(), forgedKey: await freshKey() });
  const holder = newHolder('ES256', 'did:jwk');
  const did = holder.kid?.split('#')[0] ?? '';
  const bound = { jwk: holder.publicJwk, did };
  credentials = [
    { credential: await issuer.jwtVc(bound, undefined), holder },
    { credential: await issuer.sdJwtVc(bound, false, undefined), holder },
  ];
});

afterAll(() => verifier.close());

const dcql = {
  credentials: [
    {
      id: 'membership',
      format: 'dc+sd-jwt',
      meta: { vct_values: [vct] },
      claims: [{ path: ['given_name'] }, { path: ['address', 'locality'] }],
    },
    { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['PracticeDegree']] } },
  ],
};
const definition = {
  id: 'two',
  input_descriptors: [
    {
      id: 'membership',
      format: { 'vc+sd-jwt': {} },
      constraints: {
        fields: [
          { path: ['$.vct'], filter: { const: vct } },
          { path: ['$.given_name'] },
          { path: ['$.address.locality'] },
        ],
      },
    },
    {
      id: 'degree',
      format: { jwt_vc_json: { alg: ['ES256'] } },
      constraints: { fields: [{ path: ['$.vc.type'], filter: { contains: { const: 'PracticeDegree' } } }] },
    },
  ],
};

describe.each([
  ['1.0', dcql],
  ['draft-20', definition],
] as const)('the client library of the OpenWallet Foundation, OpenID4VP %s', (as, query) => {
  it.each([false, true])('answers with both formats; encrypted: %s', async (encrypted) => {
    const outcome = await presentWithOpenid4vc(await verifier.link({ as, query, encrypted }), credentials);
    expect(outcome).toEqual({ status: 200, body: {} });
    const { presentations } = verifier.answers.at(-1) ?? {};
    expect(presentations).toMatchObject({
      membership: { bound: true, claims: { given_name: 'Ada', address: { locality: 'Bergen' }, levels: ['silver'] } },
      degree: { bound: true, claims: { degree: { name: 'Bachelor of Practice' } } },
    });
  });
});
