import { type LinkVariant } from '../wire/request-variant';

/** Every address a wallet may learn from us, all absolute. Built from the configured URL, never from a Host header. */
export interface WalletUrls {
  /** Credential Issuer Identifier; also the `issuer` of the authorization server and the `iss` of credentials. */
  readonly issuer: string;
  /** Inserted form (OpenID4VCI 1.0 §12.2.2): the pure 1.0 document. */
  readonly issuerMetadata: string;
  /** Appended form (drafts 13 to 15): the draft-13 document. */
  readonly draft13IssuerMetadata: string;
  /** RFC 8414 §3: inserted form; the other three places serve the same JSON. */
  readonly authorizationServerMetadata: string;
  readonly authorizationServerMetadataAppended: string;
  readonly openidConfiguration: string;
  readonly openidConfigurationInserted: string;
  readonly jwtVcIssuer: string;
  /** RFC 9126 §2 and RFC 6749 §3.1. */
  readonly pushedAuthorizationRequest: string;
  readonly authorize: string;
  /** Where the OpenID provider at which people log in sends them back; no wallet comes there. */
  readonly loginCallback: string;
  /** Where a wallet takes people back that have shown by a presentation who they are. */
  readonly presentationReturn: string;
  readonly token: string;
  /** RFC 7009 §2. */
  readonly revocation: string;
  readonly nonce: string;
  /** Of the challenges for attestations of wallets. */
  readonly challenge: string;
  readonly credential: string;
  readonly draft13Credential: string;
  readonly draft13BatchCredential: string;
  readonly deferredCredential: string;
  readonly draft13DeferredCredential: string;
  /** Shared by both documents: a notification has the same shape in every draft. */
  readonly notification: string;
  readonly jwks: string;
  /** The did:web identifier of the public URL, and where its document lives. */
  readonly did: string;
  readonly didDocument: string;
  offer(handle: string): string;
  vct(templateId: string, version: number | string): string;
  /** Whether a type of credentials is named by an address of ours. */
  isOwnType(type: string): boolean;
  /** Where an uploaded picture is. @param file its name there */
  image(file: string): string;
  /** The name of the uploaded picture at an address; undefined for every other address. */
  imageAt(address: string): string | undefined;
  /** Where all status lists are named, and where each is. */
  readonly statusLists: string;
  statusList(listId: string): string;
  /** The same list for one purpose, as verifiers of W3C credentials read it. */
  bitstringStatusList(listId: string, purpose: BitstringPurpose): string;
  /** Where a wallet fetches one variant of an authorization request, and where it posts its answer. */
  presentationRequest(variant: LinkVariant, handle: string): string;
  presentationResponse(variant: LinkVariant, handle: string): string;
}

/** `statusPurpose` of Bitstring Status List v1.0 §2.2. */
export const bitstringPurposes = ['revocation', 'suspension'] as const;
export type BitstringPurpose = (typeof bitstringPurposes)[number];

const ISSUER_PATH = '/openid4vci';

/**
 * Derives all wallet addresses from the public base URL, which may have a path and a port.
 * @throws TypeError when it is no http(s) URL or has user information, a query or a fragment.
 */
export function walletUrls(publicUrl: string): WalletUrls {
  const { origin, host, path } = splitPublicUrl(publicUrl);
  const base = origin + path;
  const issuer = base + ISSUER_PATH;
  // RFC 8615 and RFC 8414 §3.1: a well-known name goes between host and path.
  const inserted = (name: string) => `${origin}/.well-known/${name}${path}${ISSUER_PATH}`;
  const appended = (name: string) => `${issuer}/.well-known/${name}`;
  const images = `${base}/images/`;
  const asked = (variant: LinkVariant, handle: string) => `${base}/openid4vp/${variant}/${encodeURIComponent(handle)}`;
  return {
    issuer,
    issuerMetadata: inserted('openid-credential-issuer'),
    draft13IssuerMetadata: appended('openid-credential-issuer'),
    authorizationServerMetadata: inserted('oauth-authorization-server'),
    authorizationServerMetadataAppended: appended('oauth-authorization-server'),
    openidConfiguration: appended('openid-configuration'),
    openidConfigurationInserted: inserted('openid-configuration'),
    jwtVcIssuer: inserted('jwt-vc-issuer'),
    pushedAuthorizationRequest: `${issuer}/par`,
    authorize: `${base}/authorize`,
    loginCallback: `${base}/authorize/login/callback`,
    presentationReturn: `${base}/authorize/presentation`,
    token: `${issuer}/token`,
    revocation: `${issuer}/revoke`,
    nonce: `${issuer}/nonce`,
    challenge: `${issuer}/challenge`,
    credential: `${issuer}/credential`,
    draft13Credential: `${issuer}/draft-13/credential`,
    draft13BatchCredential: `${issuer}/draft-13/batch_credential`,
    deferredCredential: `${issuer}/deferred_credential`,
    draft13DeferredCredential: `${issuer}/draft-13/deferred_credential`,
    notification: `${issuer}/notification`,
    jwks: `${base}/jwks.json`,
    did: ['did', 'web', host.replace(':', '%3A'), ...path.split('/').slice(1)].join(':'),
    didDocument: path === '' ? `${origin}/.well-known/did.json` : `${base}/did.json`,
    offer: (handle) => `${issuer}/offers/${encodeURIComponent(handle)}`,
    isOwnType: (type) => type.startsWith(`${base}/vct/`),
    vct: (templateId, version) =>
      `${base}/vct/${encodeURIComponent(templateId)}/${encodeURIComponent(String(version))}`,
    image: (file) => `${images}${file}`,
    imageAt: (address) => (address.startsWith(images) ? address.slice(images.length) : undefined),
    statusLists: `${base}/status_lists`,
    statusList: (listId) => `${base}/status_lists/${encodeURIComponent(listId)}`,
    bitstringStatusList: (listId, purpose) => `${base}/status_lists/${encodeURIComponent(listId)}/${purpose}`,
    presentationRequest: (variant, handle) => `${asked(variant, handle)}/request`,
    presentationResponse: (variant, handle) => `${asked(variant, handle)}/response`,
  };
}

function splitPublicUrl(publicUrl: string): { origin: string; host: string; path: string } {
  const url = new URL(publicUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new TypeError(`The public URL must begin with https:// or http://, not ${url.protocol}`);
  }
  // OpenID4VCI 1.0 §12.2.1: an issuer identifier has neither query nor fragment.
  if (url.username !== '' || url.password !== '' || publicUrl.includes('?') || publicUrl.includes('#')) {
    throw new TypeError('The public URL must not have user information, a query or a fragment');
  }
  return { origin: url.origin, host: url.host, path: url.pathname.replace(/\/+$/u, '') };
}
