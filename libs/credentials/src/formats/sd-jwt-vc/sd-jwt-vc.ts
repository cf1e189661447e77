import type { BuiltFormat, CredentialFormat, VerifiedFormat } from '../credential-format';
import { buildSdJwtVc } from './build';
import {
  describedSdJwtVc,
  type GivenSdJwtVcType,
  type SdJwtVcConfiguration,
  type SdJwtVcDescription,
} from './description';
import { readIssuedSdJwtVc } from './issued';
import { verifySdJwtVc } from './verify';

const built: BuiltFormat<SdJwtVcConfiguration> = {
  // The builder checks all that is asked of claims.
  assertClaims: () => undefined,
  build({ id, claims }, { vct, selectivelyDisclosable }, issue) {
    const { issuer, issuedAt, expiresAt, holder, formatName, status, sign } = issue;
    return buildSdJwtVc({
      vct,
      issuer,
      claims,
      selectivelyDisclosable: selectivelyDisclosable ?? 'top-level',
      ...(holder && { holder }),
      issuedAt,
      ...(expiresAt && { expiresAt }),
      ...(status && { status: { idx: status.idx, uri: status.uri } }),
      // Older wallets look for the name that they know.
      typ: formatName === 'vc+sd-jwt' ? 'vc+sd-jwt' : 'dc+sd-jwt',
      sign,
      ...(id !== undefined && { extraPayload: { jti: id } }),
    });
  },
};

const verified: VerifiedFormat = {
  // The tilde is in every SD-JWT and in no JWT.
  isMarked: (text) => text.includes('~'),
  readIssued: readIssuedSdJwtVc,
  verify: verifySdJwtVc,
};

export const sdJwtVc = {
  ...describedSdJwtVc,
  ...built,
  ...verified,
} satisfies CredentialFormat<SdJwtVcConfiguration, GivenSdJwtVcType, SdJwtVcDescription>;
