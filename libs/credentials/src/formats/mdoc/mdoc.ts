import type { MdocConfiguration } from '@app/openid4vc';
import { ClaimsError } from '../../presentation/claims';
import type { BuiltFormat, CredentialFormat, VerifiedFormat } from '../credential-format';
import { describedMdoc, type GivenMdocType, type MdocDescription } from './description';
import { isIssuerSigned, readIssuedMdoc } from './issued';
import { verifyMdoc } from './verify';

const notYet = () => new ClaimsError('invalid-id', '', 'this version issues no mdocs');

const built: BuiltFormat<MdocConfiguration> = {
  assertIssuable() {
    throw notYet();
  },
  build: () => Promise.reject(notYet()),
};

const verified: VerifiedFormat = { isMarked: isIssuerSigned, readIssued: readIssuedMdoc, verify: verifyMdoc };

export const mdoc = {
  ...describedMdoc,
  ...built,
  ...verified,
} satisfies CredentialFormat<MdocConfiguration, GivenMdocType, MdocDescription>;
