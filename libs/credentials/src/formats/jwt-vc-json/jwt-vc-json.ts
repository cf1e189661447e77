import type { JwtVcJsonConfiguration } from '@app/openid4vc';
import { randomUUID } from 'node:crypto';
import { ClaimsError } from '../../presentation/claims';
import { isAbsoluteUri } from '../../presentation/absolute-uri';
import type { Buildable, BuiltFormat, CredentialFormat, UnsignedContent, VerifiedFormat } from '../credential-format';
import { buildJwtVcJson, jwtVcJsonPayload } from './build';
import { describedJwtVcJson, type GivenW3cType, type JwtVcJsonDescription } from './description';
import { readIssuedJwtVc } from './issued';
import { verifyJwtPresentation } from './verify';

const CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  'open-badges-3.0': ['https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json'],
};

const built: BuiltFormat<JwtVcJsonConfiguration> = {
  signedAs: 'jws',
  assertIssuable(content, configuration) {
    const { id } = content.claims;
    // VCDM 1.1 §4.2
    if (id !== undefined && !isAbsoluteUri(id)) {
      throw new ClaimsError('invalid-id', '/id', 'must be an absolute URI, such as a DID');
    }
    jwtVcJsonPayload({ issuer: 'https://issuer.example', issuedAt: new Date(0), ...inputOf(content, configuration) });
  },
  build(content, configuration, { issuer, issuedAt, expiresAt, holder, status, sign }) {
    return buildJwtVcJson({
      ...inputOf(content, configuration),
      // Open Badges 3.0 appendix B.1: with VCDM 1.1 the issuer is a Profile, not a URI alone.
      issuer: configuration.dataModel === 'open-badges-3.0' ? { id: issuer, type: ['Profile'] } : issuer,
      ...(holder && { holder }),
      issuedAt,
      ...(expiresAt && { expiresAt }),
      ...(status && { status }),
      sign,
    });
  },
};

function inputOf(
  { id, claims, members }: UnsignedContent,
  { types, dataModel, subject }: Buildable<JwtVcJsonConfiguration>,
) {
  const contexts = CONTEXTS[dataModel];
  const credentialId = id ?? `urn:uuid:${randomUUID()}`;
  return {
    types,
    ...(contexts && { contexts }),
    subjectClaims: claims,
    subject,
    ...(members && { members }),
    credentialId,
  };
}

const verified: VerifiedFormat = {
  isMarked: () => false,
  readIssued: readIssuedJwtVc,
  verify: verifyJwtPresentation,
};

export const jwtVcJson = {
  ...describedJwtVcJson,
  ...built,
  ...verified,
} satisfies CredentialFormat<JwtVcJsonConfiguration, GivenW3cType, JwtVcJsonDescription>;
