import { WALLET_URLS } from '@app/identity';
import { renderAuthorizationServerMetadata, type WalletUrls } from '@app/openid4vc';
import { type IssuableConfiguration, ListCredentialConfigurations } from '@app/templates';
import { type HttpReply, PublicEndpoint, renderedJson } from '@app/web';
import { Controller, Get, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

/** Metadata of the authorization server (RFC 8414). */
@Controller()
@PublicEndpoint('wallets')
export class AuthorizationServerMetadataEndpoint {
  /** Rendered once for each list of configurations. */
  private rendered: { readonly of: readonly IssuableConfiguration[]; readonly document: string } | undefined;

  constructor(
    private readonly queries: QueryBus,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  // Wallets look for the authorization server in four places, oldest habits included; all get the same document.
  @Get([
    '.well-known/oauth-authorization-server/openid4vci',
    'openid4vci/.well-known/oauth-authorization-server',
    '.well-known/openid-configuration/openid4vci',
    'openid4vci/.well-known/openid-configuration',
  ])
  async metadata(): Promise<HttpReply> {
    const configurations = await this.queries.execute(new ListCredentialConfigurations());
    if (this.rendered?.of !== configurations) {
      const scopes = configurations.map(({ scope }) => scope);
      const server = { urls: this.urls, scopes, clientAuthenticationMethods: ['none'] };
      this.rendered = { of: configurations, document: JSON.stringify(renderAuthorizationServerMetadata(server)) };
    }
    return renderedJson(this.rendered.document, { 'Cache-Control': 'no-cache' });
  }
}
