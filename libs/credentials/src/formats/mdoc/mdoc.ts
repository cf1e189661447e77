import type { MdocConfiguration } from '@app/openid4vc';
import type { BuiltFormat, CredentialFormat, VerifiedFormat } from '../credential-format';
import { plusDuration } from '@app/primitives/time';
import { ClaimsError } from '../../presentation/claims';
import { buildMdoc } from './build';
import { describedMdoc, type GivenMdocType, type MdocDescription } from './description';
import { elementsOf } from './elements';
import { isEncodedMap, readIssuedMdoc } from './issued';
import { faultOfPlace } from './issuing-place';
import { verifyMdoc } from './verify';

const built: BuiltFormat<MdocConfiguration> = {
  signedAs: 'document',
  assertIssuable({ claims }, { doctype, schema = {} }, signer) {
    elementsOf(claims, schema);
    if (signer) assertPlace(doctype, claims, signer);
  },
  async build({ claims }, { doctype, expectedUpdate, schema = {} }, issue) {
    const { issuedAt, expiresAt, holder, status, documentSigner } = issue;
    if (!expiresAt || !holder || !documentSigner) throw new TypeError('an mdoc has an end, a device key and a signer');
    // Its certificate may be another one than when the data came.
    assertPlace(doctype, claims, documentSigner);
    return buildMdoc({
      docType: doctype,
      nameSpaces: elementsOf(claims, schema),
      deviceKey: holder.jwk,
      signed: issuedAt,
      validUntil: expiresAt,
      ...(expectedUpdate !== undefined && { expectedUpdate: plusDuration(issuedAt, expectedUpdate) }),
      ...(status && { status }),
      signer: documentSigner,
    });
  },
};

/** Throws `ClaimsError`. */
function assertPlace(...about: Parameters<typeof faultOfPlace>): void {
  const fault = faultOfPlace(...about);
  if (fault) throw new ClaimsError('foreign-place', fault.pointer, fault.message);
}

const verified: VerifiedFormat = { isMarked: isEncodedMap, readIssued: readIssuedMdoc, verify: verifyMdoc };

export const mdoc = {
  ...describedMdoc,
  ...built,
  ...verified,
} satisfies CredentialFormat<MdocConfiguration, GivenMdocType, MdocDescription>;
