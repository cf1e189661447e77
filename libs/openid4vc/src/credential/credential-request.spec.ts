import fc from 'fast-check';
import { type CredentialRequest, parseCredentialRequest } from './credential-request';
import { OAuthError } from '../wire/oauth-error';
import { proofRefusal } from './proofs';
import recorded from '../recorded/credential-requests.json';
import { formatNameFor } from './request-class';

const proof = { proof_type: 'jwt', jwt: 'a.b.c' };
const proofs = { jwt: ['a.b.c'] };
const byId = { credential_configuration_id: 'degree' };
const byFormat = { format: 'jwt_vc_json', credential_definition: { type: ['VerifiableCredential', 'Degree'] } };
const bySdJwt = { format: 'vc+sd-jwt', vct: 'https://example.com/vct' };

const parse = (body: unknown, endpoint: 'final' | 'draft-13' = 'final') =>
  parseCredentialRequest(body, { endpoint, batchSize: 3, isRequestEncrypted: false, isRequired: false });
const refusalOf = (body: unknown, endpoint: 'final' | 'draft-13' = 'final'): OAuthError => {
  try {
    parse(body, endpoint);
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
  throw new Error('the request was not refused');
};

describe('the recorded credential requests', () => {
  const summary = (body: unknown): unknown => {
    try {
      const { requestClass, named, proofs: jwts } = parse(body);
      return { requestClass, named, proofs: jwts.length };
    } catch (error) {
      return error instanceof OAuthError ? error.code : error;
    }
  };
  const degree = { by: 'format', format: 'jwt_vc_json', types: ['VerifiableCredential', 'UniversityDegreeCredential'] };
  const identity = { by: 'format', format: 'vc+sd-jwt', vct: 'SD_JWT_VC_example_in_OpenID4VCI' };
  const engineer = { by: 'identifier', identifier: 'CivilEngineeringDegree-2023' };
  const document = { by: 'format', format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' };
  const licence = { by: 'configuration', configurationId: 'org.iso.18013.5.1.mDL' };
  // In the order of the file: what each example is to us.
  const expected: unknown[] = [
    // draft 13: the first proves by cwt
    'invalid_proof',
    { requestClass: 'F-single', named: engineer, proofs: 1 },
    { requestClass: 'L13', named: document, proofs: 1 },
    'unsupported_credential_format',
    { requestClass: 'L13', named: degree, proofs: 1 },
    'unsupported_credential_format',
    'unsupported_credential_format',
    { requestClass: 'L13', named: identity, proofs: 1 },
    // draft 14
    { requestClass: 'L13', named: document, proofs: 1 },
    { requestClass: 'F', named: engineer, proofs: 2 },
    { requestClass: 'L13', named: document, proofs: 1 },
    'unsupported_credential_format',
    { requestClass: 'L13', named: degree, proofs: 1 },
    'unsupported_credential_format',
    'unsupported_credential_format',
    { requestClass: 'L13', named: identity, proofs: 1 },
    // draft 15: the third proves by ldp_vp, the fourth asks for an mdoc by format
    { requestClass: 'F-single', named: licence, proofs: 1 },
    { requestClass: 'F', named: engineer, proofs: 2 },
    'invalid_proof',
    { requestClass: 'L13', named: document, proofs: 1 },
    // 1.0: the third proves by di_vp; the fourth still names a format, as that example does
    { requestClass: 'F', named: licence, proofs: 1 },
    { requestClass: 'F', named: engineer, proofs: 2 },
    'invalid_proof',
    { requestClass: 'L14', named: document, proofs: 1 },
  ];

  it.each(recorded.requests.map(({ source, body }, index) => [source, body, expected[index]] as const))(
    '%s is classified',
    (_source, body, outcome) => {
      expect(summary(body)).toEqual(outcome);
    },
  );
});

describe('requests as wallets in use send them', () => {
  it('draft 11: types at the top, anything else ignored', () => {
    const sent = { format: 'jwt_vc_json', types: ['VerifiableCredential', 'Degree'], credentialSubject: {}, proof };
    expect(parse(sent)).toEqual({
      requestClass: 'L11',
      endpoint: 'final',
      named: { by: 'format', format: 'jwt_vc_json', types: ['VerifiableCredential', 'Degree'] },
      proofType: 'jwt',
      proofs: ['a.b.c'],
    });
  });

  it('typed wallets write null for what they leave out', () => {
    const unset = { credential_identifier: null, credential_response_encryption: null, proofs: null };
    expect(parse({ ...byFormat, ...unset, proof }, 'draft-13')).toMatchObject({ requestClass: 'L13' });
    expect(parse({ ...byId, format: null, proof: null, proofs })).toMatchObject({ requestClass: 'F' });
  });

  it('draft 14: a format with several proofs', () => {
    const request = parse({ ...bySdJwt, proofs: { jwt: ['a.a.a', 'b.b.b'] } }, 'draft-13');
    expect(request).toMatchObject({ requestClass: 'L14', proofs: ['a.a.a', 'b.b.b'] });
  });

  it('an id takes precedence over a format', () => {
    const request = parse({ ...byId, ...bySdJwt, proofs });
    expect(request).toMatchObject({ requestClass: 'F', named: { by: 'configuration', configurationId: 'degree' } });
  });

  it('unknown members are ignored', () => {
    expect(parse({ ...byId, proofs, locale: 'de', x: { y: 1 } })).toEqual(parse({ ...byId, proofs }));
  });

  it('dc+sd-jwt is taken where draft 13 says vc+sd-jwt', () => {
    expect(parse({ ...bySdJwt, format: 'dc+sd-jwt', proof }).named).toMatchObject({ format: 'dc+sd-jwt' });
  });
});

describe('a credential request is refused', () => {
  it.each<[string, unknown, string]>([
    ['as null', null, 'invalid_credential_request'],
    ['as an array', [{ ...byId, proofs }], 'invalid_credential_request'],
    ['as a string', 'x', 'invalid_credential_request'],
    ['naming nothing', { proofs }, 'invalid_credential_request'],
    ['naming id and identifier', { ...byId, credential_identifier: 'x', proofs }, 'invalid_credential_request'],
    ['with a number as id', { credential_configuration_id: 1, proofs }, 'invalid_credential_request'],
    ['with an empty id', { credential_configuration_id: '', proofs }, 'invalid_credential_request'],
    ['with proof and proofs', { ...byId, proof, proofs }, 'invalid_credential_request'],
    ['with empty proofs', { ...byId, proofs: {} }, 'invalid_credential_request'],
    ['with an array as proofs', { ...byId, proofs: ['a.b.c'] }, 'invalid_credential_request'],
    ['with no JWT in proofs', { ...byId, proofs: { jwt: [] } }, 'invalid_credential_request'],
    ['with one JWT instead of a list', { ...byId, proofs: { jwt: 'a.b.c' } }, 'invalid_credential_request'],
    ['with a number as JWT', { ...byId, proofs: { jwt: [1] } }, 'invalid_credential_request'],
    ['with two proof types', { ...byId, proofs: { jwt: ['a'], attestation: ['b'] } }, 'invalid_credential_request'],
    ['with more proofs than a batch', { ...byId, proofs: { jwt: ['a', 'b', 'c', 'd'] } }, 'invalid_credential_request'],
    ['without proof', byId, 'invalid_proof'],
    ['by a proof type not offered', { ...byId, proofs: { di_vp: [{}] } }, 'invalid_proof'],
    ['by cwt in the old shape', { ...byFormat, proof: { proof_type: 'cwt', cwt: 'x' } }, 'invalid_proof'],
    ['by a proof without type', { ...byFormat, proof: { jwt: 'a.b.c' } }, 'invalid_proof'],
    ['by a proof without JWT', { ...byFormat, proof: { proof_type: 'jwt' } }, 'invalid_proof'],
    ['by an endless proof', { ...byFormat, proof: { ...proof, jwt: 'x'.repeat(20_000) } }, 'invalid_proof'],
    ['by an empty proof', { ...byFormat, proof: { ...proof, jwt: '' } }, 'invalid_proof'],
    ['by an empty proof among several', { ...byId, proofs: { jwt: [''] } }, 'invalid_proof'],
    ['by a proof that is a string', { ...byFormat, proof: 'a.b.c' }, 'invalid_credential_request'],
    ['for an unknown format', { format: 'ldp_vc', proof }, 'unsupported_credential_format'],
    ['without types', { format: 'jwt_vc_json', credential_definition: {}, proof }, 'invalid_credential_request'],
    ['with types that are no strings', { format: 'jwt_vc_json', types: [1], proof }, 'invalid_credential_request'],
    ['without vct', { format: 'vc+sd-jwt', proof }, 'invalid_credential_request'],
    ['asking for encryption', { ...byId, proofs, credential_response_encryption: {} }, 'invalid_encryption_parameters'],
  ])('%s', (_name, body, code) => {
    expect(refusalOf(body)).toMatchObject({ code, status: 400 });
  });

  it('without touching inherited members', () => {
    expect(refusalOf(Object.create({ ...byId, proofs })).code).toBe('invalid_credential_request');
  });

  it('with an offer of a fresh nonce where the draft retries on one', () => {
    expect(refusalOf(byFormat).nonceWanted).toBe(true);
    expect(refusalOf({ ...byId, proof: { proof_type: 'cwt' } }).nonceWanted).toBe(true);
    expect(refusalOf({ credential_identifier: 'degree' }, 'draft-13').nonceWanted).toBe(true);
    expect(refusalOf(byId).nonceWanted).toBe(false);
    expect(refusalOf({ ...byFormat, credential_definition: 1 }).nonceWanted).toBe(false);
  });

  it('always with an OAuth error, whatever is sent', () => {
    const value = fc.oneof(
      fc.constantFrom(byId.credential_configuration_id, 'jwt_vc_json', 'vc+sd-jwt', proof, proofs, { jwt: [null] }),
      fc.anything({ maxDepth: 3 }),
    );
    const names = ['credential_configuration_id', 'credential_identifier', 'format', 'types', 'vct', 'proof', 'proofs'];
    const members = [...names, 'credential_definition', 'credential_response_encryption', '__proto__'];
    const body = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...members), value));
    fc.assert(
      fc.property(body, fc.constantFrom('final', 'draft-13'), (sent, endpoint) => {
        const outcome = attempt(() => parse(sent, endpoint));
        if (outcome instanceof OAuthError) expect(outcome.description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
        else expect(outcome.proofs.length).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });
});

function attempt(parseIt: () => CredentialRequest): CredentialRequest | OAuthError {
  try {
    return parseIt();
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

describe('the refusal of a proof', () => {
  it.each([
    ['F', 'final', 'nonce-unknown', 'invalid_nonce', false],
    ['F', 'final', 'missing-nonce', 'invalid_proof', false],
    ['F', 'draft-13', 'nonce-used', 'invalid_nonce', true],
    ['F-single', 'final', 'nonce-unknown', 'invalid_proof', true],
    ['L14', 'draft-13', 'nonce-unknown', 'invalid_proof', true],
    ['L13', 'draft-13', 'nonce-used', 'invalid_proof', true],
    ['L11', 'draft-13', 'bad-signature', 'invalid_proof', true],
  ] as const)('for class %s at the %s endpoint for %s is %s', (requestClass, endpoint, reason, code, nonceWanted) => {
    expect(proofRefusal({ requestClass, endpoint }, reason, 'why')).toMatchObject({
      code,
      reason,
      status: 400,
      nonceWanted,
    });
  });
});

describe('the name of the format of an SD-JWT VC', () => {
  it.each([
    ['final', { by: 'configuration', configurationId: 'x' }, 'dc+sd-jwt'],
    ['draft-13', { by: 'configuration', configurationId: 'x' }, 'vc+sd-jwt'],
    ['draft-13', { by: 'identifier', identifier: 'x' }, 'vc+sd-jwt'],
    ['final', { by: 'format', format: 'vc+sd-jwt', vct: 'x' }, 'vc+sd-jwt'],
    ['draft-13', { by: 'format', format: 'vc+sd-jwt', vct: 'x' }, 'vc+sd-jwt'],
    ['draft-13', { by: 'format', format: 'dc+sd-jwt', vct: 'x' }, 'dc+sd-jwt'],
  ] as const)('at the %s endpoint for %j is %s', (endpoint, named, name) => {
    expect(formatNameFor({ endpoint, named }, 'dc+sd-jwt')).toBe(name);
  });
});
