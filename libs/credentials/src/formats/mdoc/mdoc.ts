import type { MdocConfiguration } from '@app/openid4vc';
import type { BuiltFormat, CredentialFormat, VerifiedFormat } from '../credential-format';
import { plusDuration } from '@app/primitives/time';
import { buildMdoc } from './build';
import { describedMdoc, type GivenMdocType, type MdocDescription } from './description';
import { elementsOf } from './elements';
import { isEncodedMap, readIssuedMdoc } from './issued';
import { verifyMdoc } from './verify';

const built: BuiltFormat<MdocConfiguration> = {
  signedAs: 'document',
  assertIssuable({ claims }, { schema = {} }) {
    elementsOf(claims, schema);
  },
  async build({ claims }, { doctype, expectedUpdate, schema = {} }, issue) {
    const { issuedAt, expiresAt, holder, status, documentSigner } = issue;
    if (!expiresAt || !holder || !documentSigner) throw new TypeError('an mdoc has an end, a device key and a signer');
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

const verified: VerifiedFormat = { isMarked: isEncodedMap, readIssued: readIssuedMdoc, verify: verifyMdoc };

export const mdoc = {
  ...describedMdoc,
  ...built,
  ...verified,
} satisfies CredentialFormat<MdocConfiguration, GivenMdocType, MdocDescription>;
