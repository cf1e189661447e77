export { preferredMediaType } from './content-negotiation';
export { created, HttpReply, renderedJson, representation } from './http-reply';
export { JsonBodyPipe, validated } from './json-body';
export { LeanExpressAdapter } from './lean-express-adapter';
export { RawBody, rawBody } from './raw-body';
export { WALLET_URLS } from './wallet-urls.token';
export { parsePageQuery, type PageQuery } from './page-query';
export { formParameters, walletJson } from './wallet-body';
export { qrPage, qrPageHeaders, qrPng, qrSvg } from './qr-code';
