import { randomUUID } from 'node:crypto';
import { ClaimsError } from '../../claims';
import { isAbsoluteUri } from '../../absolute-uri';
import type { BuiltFormat, CredentialFormat, VerifiedFormat } from '../credential-format';
import { buildJwtVcJson } from './build';
import {
  describedJwtVcJson,
  type GivenW3cType,
  type JwtVcJsonConfiguration,
  type JwtVcJsonDescription,
} from './description';
import { readIssuedJwtVc } from './issued';
import { verifyJwtPresentation } from './verify';

const CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  'open-badges-3.0': ['https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json'],
};

const built: BuiltFormat<JwtVcJsonConfiguration> = {
  assertClaims({ id }) {
    // VCDM 1.1 §4.2
    if (id !== undefined && !isAbsoluteUri(id)) {
      throw new ClaimsError('invalid-id', '/id', 'must be an absolute URI, such as a DID');
    }
  },
  build({ id, claims, members }, { types, dataModel, subject }, issue) {
    const { issuer, issuedAt, expiresAt, holder, status, sign } = issue;
    const contexts = CONTEXTS[dataModel];
    return buildJwtVcJson({
      issuer,
      types,
      ...(contexts && { contexts }),
      subjectClaims: claims,
      subject,
      ...(holder && { holder }),
      ...(members && { members }),
      credentialId: id ?? `urn:uuid:${randomUUID()}`,
      issuedAt,
      ...(expiresAt && { expiresAt }),
      ...(status && { status }),
      sign,
    });
  },
};

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
