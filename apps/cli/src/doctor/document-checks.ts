import type { WalletUrls } from '@app/openid4vc';
import type { OutboundClient } from '@app/outbound';
import { fail, type Finding, ok } from './finding';
import { reasonOf } from './outbound-reason';

/** A document that wallets or verifiers look for at an address that follows from the public URL. */
interface PublishedDocument {
  readonly name: string;
  readonly url: string;
  readonly contentType: string;
  /** The member that names us, and what it says. */
  readonly member?: string;
  readonly value?: string;
}

function documentsOf(urls: WalletUrls): PublishedDocument[] {
  const contentType = 'application/json';
  const issuer = { contentType, member: 'issuer', value: urls.issuer };
  const credentialIssuer = { contentType, member: 'credential_issuer', value: urls.issuer };
  return [
    { name: 'issuer metadata, inserted', url: urls.issuerMetadata, ...credentialIssuer },
    { name: 'issuer metadata, appended', url: urls.draft13IssuerMetadata, ...credentialIssuer },
    { name: 'OAuth metadata, inserted', url: urls.authorizationServerMetadata, ...issuer },
    { name: 'OAuth metadata, appended', url: urls.authorizationServerMetadataAppended, ...issuer },
    { name: 'OpenID configuration, inserted', url: urls.openidConfigurationInserted, ...issuer },
    { name: 'OpenID configuration, appended', url: urls.openidConfiguration, ...issuer },
    { name: 'JWT VC issuer metadata', url: urls.jwtVcIssuer, ...issuer },
    { name: 'DID document', url: urls.didDocument, contentType: 'application/did+json', member: 'id', value: urls.did },
    { name: 'jwks.json', url: urls.jwks, contentType },
  ];
}

/** What is read of the documents that are as they should be. */
export interface Published {
  /** Of jwks.json. */
  kids?: ReadonlySet<string>;
  /** Of what the issuer offers. */
  formats?: ReadonlySet<string>;
  /** Of the issuer, as wallets of OpenID4VCI 1.0 read them. */
  metadata?: Readonly<Record<string, unknown>>;
}

/** Requests each document without credentials, and notes what is published in them. */
export async function* checkDocuments(
  urls: WalletUrls,
  client: OutboundClient,
  published: Published,
): AsyncGenerator<Finding> {
  for (const document of documentsOf(urls)) yield await checkDocument(document, client, published);
}

async function checkDocument(
  { name, url, contentType, member, value }: PublishedDocument,
  client: OutboundClient,
  published: Published,
): Promise<Finding> {
  const { pathname } = new URL(url);
  try {
    // A wallet need not follow redirects, and any other type is a separate finding.
    const answer = await client.get(url, { purpose: 'self-check', accept: [contentType, '*/*'], maxRedirects: 0 });
    if (answer.contentType !== contentType) {
      const found = `${url} has the content type ${answer.contentType || '(none)'} and not ${contentType}`;
      return fail(name, found, passOn(pathname));
    }
    const json = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown> | null;
    if (member === undefined) published.kids = kidsOf(json);
    else if (json?.[member] !== value) {
      const found = `${url} belongs to another service: ${member} is not ${String(value)}`;
      return fail(name, found, 'Give the service that answers the same SERVICE__APPLICATION_URL as here.');
    }
    if (member === 'credential_issuer') {
      published.formats = formatsOf(json);
      // The inserted address comes first.
      published.metadata ??= json ?? {};
    }
    return ok(name, url);
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : `cannot be fetched: ${reasonOf(error)}`;
    return fail(name, `${url} ${reason}`, passOn(pathname));
  }
}

function kidsOf(jwks: Record<string, unknown> | null): ReadonlySet<string> {
  const keys = Array.isArray(jwks?.['keys']) ? (jwks['keys'] as { readonly kid?: unknown }[]) : [];
  return new Set(keys.map(({ kid }) => String(kid)));
}

function formatsOf(metadata: Record<string, unknown> | null): ReadonlySet<string> {
  const configurations = Object.values(metadata?.['credential_configurations_supported'] ?? {}) as unknown[];
  return new Set(configurations.map((one) => String((one as { readonly format?: unknown } | null)?.format)));
}

function passOn(path: string): string {
  return `Let the proxy pass ${path} on to the service, path and answer unchanged.`;
}
