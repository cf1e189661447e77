import { Repository } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import { renderTypeMetadata, WalletUrls } from '@app/openid4vc';
import { PublicEndpoint } from '@app/http';
import { Controller, Get, Header, Inject, NotFoundException, Param } from '@nestjs/common';
import { isFormatKnown, type IssuableConfiguration } from './credential-configuration';
import { CredentialConfigurations } from './credential-configurations';
import { withIntegrity } from './picture-integrity';
import { contentOfType, Template, TemplateEvent, TEMPLATES } from '../template/template';

/** Type metadata of the credential types we host (SD-JWT VC §6); one document for each, for good. */
@Controller('vct')
@PublicEndpoint('wallets')
export class TypeMetadataEndpoint {
  constructor(
    private readonly configurations: CredentialConfigurations,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    @Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>,
  ) {}

  @Get(':id/:version')
  @Header('Cache-Control', 'public, max-age=300')
  async get(@Param('id') id: string, @Param('version') version: string): Promise<unknown> {
    const configuration = this.configurations.provisioned.get(id) ?? (await this.ofTemplate(id, version));
    const metadata = configuration && isFormatKnown(configuration) ? this.rendered(configuration) : undefined;
    // A document exists only for the types that are named by its own address.
    if (metadata?.['vct'] !== this.urls.vct(id, version)) throw new NotFoundException();
    return metadata;
  }

  private rendered(configuration: IssuableConfiguration): Record<string, unknown> | undefined {
    const { display } = configuration;
    return renderTypeMetadata(
      display ? { ...configuration, display: withIntegrity(display, this.urls) } : configuration,
    );
  }

  // From the events: credentials outlive the version they were issued with, and the template itself.
  private async ofTemplate(templateId: string, version: string): Promise<IssuableConfiguration | undefined> {
    const events = await this.templates.events(templateId);
    const typeVersion = Number(version);
    const content = contentOfType(
      events.map(({ event }) => event),
      typeVersion,
    );
    return content && this.configurations.ofTemplate({ templateId, content, contentVersion: typeVersion, typeVersion });
  }
}
