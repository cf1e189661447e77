import type { SdJwtVcConfiguration } from '@app/openid4vc';
import type { BuiltFormat, CredentialFormat, UnsignedContent, VerifiedFormat } from '../credential-format';
import { assertSdJwtVcClaims, buildSdJwtVc } from './build';
import { describedSdJwtVc, type GivenSdJwtVcType, type SdJwtVcDescription } from './description';
import { readIssuedSdJwtVc } from './issued';
import { verifySdJwtVc } from './verify';

const built: BuiltFormat<SdJwtVcConfiguration> = {
  signedAs: 'jws',
  assertIssuable(content, configuration) {
    assertSdJwtVcClaims(claimsOf(content, configuration));
  },
  build(content, configuration, issue) {
    const { issuer, issuedAt, expiresAt, holder, formatName, status, sign } = issue;
    return buildSdJwtVc({
      vct: configuration.vct,
      issuer,
      ...claimsOf(content, configuration),
      ...(holder && { holder }),
      issuedAt,
      ...(expiresAt && { expiresAt }),
      ...(status && { status: { idx: status.idx, uri: status.uri } }),
      // Older wallets look for the name that they know.
      typ: formatName === 'vc+sd-jwt' ? 'vc+sd-jwt' : 'dc+sd-jwt',
      sign,
    });
  },
};

function claimsOf({ id, claims }: UnsignedContent, { selectivelyDisclosable }: SdJwtVcConfiguration) {
  return {
    claims,
    selectivelyDisclosable: selectivelyDisclosable ?? 'top-level',
    ...(id !== undefined && { extraPayload: { jti: id } }),
  } as const;
}

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
