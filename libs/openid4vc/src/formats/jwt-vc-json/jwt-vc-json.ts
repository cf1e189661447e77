import { type WireFormat } from '../credential-format';
import { issuedJwtVcJson, type JwtVcJsonConfiguration, type NamedJwtVcJson } from './issued';
import { type DcqlJwtVcQuery, presentedJwtVcJson } from './presented';

export const jwtVcJsonWire: WireFormat<JwtVcJsonConfiguration, NamedJwtVcJson, DcqlJwtVcQuery> = {
  id: 'jwt_vc_json',
  earlierName: 'jwt_vc_json',
  names: ['jwt_vc_json'],
  ...issuedJwtVcJson,
  ...presentedJwtVcJson,
};
