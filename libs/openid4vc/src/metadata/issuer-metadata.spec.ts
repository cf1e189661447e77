import { type ClaimDescription, type CredentialDisplay } from '../formats/configuration-members';
import { draft13Claims } from './draft-13-claims';
import { type CredentialConfiguration } from '../formats/registry';
import { type IssuerMetadata, renderDraft13IssuerMetadata, renderIssuerMetadata } from './issuer-metadata';
import recorded from '../recorded/credential-configurations.json';
import { walletUrls } from './wallet-urls';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- rendered and recorded JSON is looked into freely
type Wire = any;

const example = (source: string): Wire => {
  const document = recorded.documents.find((candidate) => candidate.source === source);
  return Object.values(document?.configurations ?? {})[0];
};

const finalDegree = example('OpenID4VCI 1.0, examples/credential_metadata_jwt_vc_json.json');
const finalIdentity = example('OpenID4VCI 1.0, examples/credential_metadata_sd_jwt_vc.json');
const draftDegree = example('OpenID4VCI draft 13, examples/credential_metadata_jwt_vc_json.json');
const draftIdentity = example('OpenID4VCI draft 13, examples/credential_metadata_sd_jwt_vc.json');

const degree: CredentialConfiguration = {
  id: 'UniversityDegreeCredential',
  scope: 'UniversityDegree',
  format: 'jwt_vc_json',
  types: finalDegree.credential_definition.type as string[],
  signingAlgorithm: 'ES256',
  display: finalDegree.credential_metadata.display as CredentialDisplay[],
  claims: (finalDegree.credential_metadata.claims as ClaimDescription[]).map((claim) => ({
    ...claim,
    path: claim.path.slice(1),
  })),
};
const identity: CredentialConfiguration = {
  id: 'SD_JWT_VC_example_in_OpenID4VCI',
  scope: 'SD_JWT_VC_example_in_OpenID4VCI',
  format: 'dc+sd-jwt',
  vct: finalIdentity.vct as string,
  signingAlgorithm: 'EdDSA',
  display: finalIdentity.credential_metadata.display as CredentialDisplay[],
  claims: finalIdentity.credential_metadata.claims as ClaimDescription[],
};
/** The address of a logo has the names of draft 11 and of draft 13. */
const withEarlierLogos = (display: readonly CredentialDisplay[] = []) =>
  display.map(({ logo, ...one }) => ({ ...one, ...(logo && { logo: { ...logo, url: logo.uri } }) }));
const metadata: IssuerMetadata = {
  urls: walletUrls('https://issuer.example.com'),
  configurations: [degree, identity],
  batchSize: 10,
  proofSigningAlgorithms: ['ES256', 'EdDSA', 'Ed25519'],
  encryptionKey: { kid: 'k1', publicJwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AQ' } },
  isEncryptionRequired: false,
  display: [{ name: 'Example University', locale: 'en' }],
};
const keyBindingBy = (...algorithms: string[]) => ({
  cryptographic_binding_methods_supported: ['jwk', 'did:jwk', 'did:key', 'did:web'],
  proof_types_supported: { jwt: { proof_signing_alg_values_supported: algorithms } },
});

describe('the 1.0 document', () => {
  const document: Wire = renderIssuerMetadata(metadata);

  it('describes credentials as the examples of the specification do', () => {
    expect(document.credential_configurations_supported).toEqual({
      UniversityDegreeCredential: {
        ...keyBindingBy('ES256', 'EdDSA', 'Ed25519'),
        format: 'jwt_vc_json',
        scope: 'UniversityDegree',
        credential_signing_alg_values_supported: ['ES256'],
        credential_definition: finalDegree.credential_definition,
        credential_metadata: finalDegree.credential_metadata,
      },
      SD_JWT_VC_example_in_OpenID4VCI: {
        ...keyBindingBy('ES256', 'EdDSA', 'Ed25519'),
        format: 'dc+sd-jwt',
        scope: 'SD_JWT_VC_example_in_OpenID4VCI',
        credential_signing_alg_values_supported: ['EdDSA', 'Ed25519'],
        vct: finalIdentity.vct,
        credential_metadata: finalIdentity.credential_metadata,
      },
    });
  });

  it('names the endpoints and the batch size, and no authorization server but ourselves', () => {
    const { credential_configurations_supported: _configurations, ...issuer } = document;
    expect(issuer).toEqual({
      credential_issuer: 'https://issuer.example.com/openid4vci',
      credential_endpoint: 'https://issuer.example.com/openid4vci/credential',
      deferred_credential_endpoint: 'https://issuer.example.com/openid4vci/deferred_credential',
      nonce_endpoint: 'https://issuer.example.com/openid4vci/nonce',
      notification_endpoint: 'https://issuer.example.com/openid4vci/notification',
      batch_credential_issuance: { batch_size: 10 },
      credential_request_encryption: {
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AQ', kid: 'k1', use: 'enc', alg: 'ECDH-ES' }] },
        enc_values_supported: ['A128GCM', 'A256GCM'],
        encryption_required: false,
        zip_values_supported: ['DEF'],
      },
      credential_response_encryption: {
        alg_values_supported: ['ECDH-ES'],
        enc_values_supported: ['A128GCM', 'A256GCM'],
        encryption_required: false,
        zip_values_supported: ['DEF'],
      },
      display: [{ name: 'Example University', locale: 'en' }],
    });
  });

  it('announces no batches of one', () => {
    expect(renderIssuerMetadata({ ...metadata, batchSize: 1 })).not.toHaveProperty('batch_credential_issuance');
  });

  it('keeps credential_metadata even for a credential without display and claims', () => {
    const { display: _display, claims: _claims, ...bare } = degree;
    const rendered: Wire = renderIssuerMetadata({ ...metadata, configurations: [bare] });
    expect(rendered.credential_configurations_supported[bare.id].credential_metadata).toEqual({});
  });
});

describe('the draft-13 document', () => {
  const document: Wire = renderDraft13IssuerMetadata(metadata);
  const configurations: Wire = document.credential_configurations_supported;

  it('describes the same credentials as the examples of draft 13 do', () => {
    expect(Object.keys(configurations)).toEqual([degree.id, identity.id]);
    expect(configurations[degree.id]).toEqual({
      ...keyBindingBy('ES256', 'EdDSA'),
      format: 'jwt_vc_json',
      scope: 'UniversityDegree',
      credential_signing_alg_values_supported: ['ES256'],
      credential_definition: draftDegree.credential_definition,
      display: withEarlierLogos(degree.display),
    });
    expect(configurations[identity.id]).toEqual({
      ...keyBindingBy('ES256', 'EdDSA'),
      format: 'vc+sd-jwt',
      scope: identity.id,
      credential_signing_alg_values_supported: ['EdDSA'],
      vct: draftIdentity.vct,
      claims: draftIdentity.claims,
      display: withEarlierLogos(identity.display),
    });
  });

  it('has a credential endpoint of its own and keeps the nonce endpoint for draft 15', () => {
    expect(document).toMatchObject({
      credential_issuer: 'https://issuer.example.com/openid4vci',
      credential_endpoint: 'https://issuer.example.com/openid4vci/draft-13/credential',
      batch_credential_endpoint: 'https://issuer.example.com/openid4vci/draft-13/batch_credential',
      nonce_endpoint: 'https://issuer.example.com/openid4vci/nonce',
      notification_endpoint: 'https://issuer.example.com/openid4vci/notification',
    });
  });

  it('says nothing that belongs to 1.0 alone', () => {
    expect(JSON.stringify(document)).not.toMatch(/credential_metadata|dc\+sd-jwt|"path"/);
  });
});

describe('claims in the words of draft 13', () => {
  it('end at an array, into which paths of the draft cannot reach', () => {
    expect(draft13Claims([{ path: ['courses', null, 'title'], mandatory: true }])).toEqual({ courses: {} });
    expect(draft13Claims([{ path: ['courses', 0] }, { path: ['courses'], mandatory: true }])).toEqual({
      courses: { mandatory: true },
    });
  });

  it('leave out a nested claim whose name would read as a description', () => {
    expect(draft13Claims([{ path: ['product', 'display'] }, { path: ['product', 'price'] }])).toEqual({
      product: { price: {} },
    });
    expect(draft13Claims([{ path: ['display'], mandatory: false }])).toEqual({ display: { mandatory: false } });
  });

  it('are absent when there is nothing to say', () => {
    expect(draft13Claims([])).toBeUndefined();
    expect(draft13Claims([{ path: [null] }])).toBeUndefined();
  });

  it('survive a claim named __proto__', () => {
    const claims = draft13Claims([{ path: ['__proto__', 'polluted'] }]);
    expect(JSON.stringify(claims)).toBe('{"__proto__":{"polluted":{}}}');
    expect({}).not.toHaveProperty('polluted');
  });
});
