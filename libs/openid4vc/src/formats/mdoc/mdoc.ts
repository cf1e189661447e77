import { type WireFormat } from '../credential-format';
import { issuedMdoc, type MdocConfiguration, type NamedMdoc } from './issued';
import { type DcqlMdocQuery, presentedMdoc } from './presented';

export const mdocWire: WireFormat<MdocConfiguration, NamedMdoc, DcqlMdocQuery> = {
  id: 'mso_mdoc',
  earlierName: 'mso_mdoc',
  names: ['mso_mdoc'],
  ...issuedMdoc,
  ...presentedMdoc,
};
