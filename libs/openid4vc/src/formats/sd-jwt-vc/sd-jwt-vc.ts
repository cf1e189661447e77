import { type WireFormat } from '../credential-format';
import { issuedSdJwtVc, type NamedSdJwtVc, type SdJwtVcConfiguration } from './issued';
import { type DcqlSdJwtQuery, presentedSdJwtVc } from './presented';

export const sdJwtVcWire: WireFormat<SdJwtVcConfiguration, NamedSdJwtVc, DcqlSdJwtQuery> = {
  id: 'dc+sd-jwt',
  // Its name before OpenID4VCI draft 15 and OpenID4VP draft 23.
  earlierName: 'vc+sd-jwt',
  names: ['dc+sd-jwt', 'vc+sd-jwt'],
  ...issuedSdJwtVc,
  ...presentedSdJwtVc,
};
