import { perTenant } from '@app/primitives/context';
import { WALLET_URLS } from '@app/identity';
import { renderAuthorizationServerMetadata, type WalletUrls } from '@app/openid4vc';
import { type IssuableConfiguration, ListCredentialConfigurations } from '@app/templates';
import { type HttpReply, PublicEndpoint, renderedJson } from '@app/http';
import { Controller, Get, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ClientRules } from './clients/client-rules';

interface Rendered {
  readonly of: readonly IssuableConfiguration[];
  readonly methods: string;
  readonly document: string;
}

/** Metadata of the authorization server (RFC 8414). */
@Controller()
@PublicEndpoint('wallets')
export class AuthorizationServerMetadataEndpoint {
  /** Rendered once for each list of configurations and set of methods. */
  private readonly kept = perTenant<{ rendered?: Rendered }>({}, () => ({}));

  constructor(
    private readonly queries: QueryBus,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    private readonly rules: ClientRules,
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
    const clients = this.rules.methods();
    const methods = clients.methods.join();
    let { rendered } = this.kept;
    if (rendered?.of !== configurations || rendered.methods !== methods) {
      const scopes = configurations.map(({ scope }) => scope);
      const server = { urls: this.urls, scopes, clients };
      this.kept.rendered = rendered = {
        of: configurations,
        methods,
        document: JSON.stringify(renderAuthorizationServerMetadata(server)),
      };
    }
    return renderedJson(rendered.document, { 'Cache-Control': 'no-cache' });
  }
}
