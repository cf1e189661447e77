export {
  OutboundClient,
  type OutboundAnswer,
  type OutboundExchange,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
} from './outbound-client';
export { KeptDocument, keySetTimes } from './kept-document';
export { OutboundError, type OutboundErrorReason } from './outbound-error';
export { outboundPurposes, type OutboundPurpose } from './purposes';
export { httpPattern } from './private-hosts';
export { OutboundModule, type OutboundModuleOptions } from './outbound.module';
export { isPublicAddress } from './address-guard';
export { isSecret, secretBytes, secretPattern, secretText, signedHeaders } from './signature';
