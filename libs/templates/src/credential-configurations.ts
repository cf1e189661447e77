import { Settings } from '@app/config';
import { Repository } from '@app/event-store';
import { WALLET_URLS } from '@app/http';
import { faultsOfConfiguration, WalletUrls } from '@app/openid4vc';
import { Problem } from '@app/problem-details';
import { Inject, Injectable } from '@nestjs/common';
import { configurationOf, IssuableConfiguration } from './credential-configuration';
import { readProvisionedConfigurations } from './provisioned-configurations';
import { Template, TemplateContent, TemplateEvent, TEMPLATES } from './template';

const provisionedVersion = 1;
const freshFor = 1000;

/** Every credential configuration that can be issued: the provisioned ones and those of published templates. */
@Injectable()
export class CredentialConfigurations {
  readonly provisioned: ReadonlyMap<string, IssuableConfiguration>;
  private listed:
    { readonly all: readonly IssuableConfiguration[]; readonly at: number; readonly print: string } | undefined;

  constructor(
    settings: Settings,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    @Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>,
  ) {
    this.provisioned = readProvisionedConfigurations(settings.credentialConfigurations.path, (id) =>
      urls.vct(id, provisionedVersion),
    );
  }

  /** The configuration with this id; for a decision, hence read from the store and never from memory. */
  async find(id: string): Promise<IssuableConfiguration | undefined> {
    const provisioned = this.provisioned.get(id);
    if (provisioned) return provisioned;
    const { state } = await this.templates.load(id);
    return state?.status === 'Published' ? this.ofTemplate(state) : undefined;
  }

  /** Refuses content whose metadata a wallet would have to refuse. Throws `validation-failed`. */
  assertSound(templateId: string, content: TemplateContent): void {
    const faults = faultsOfConfiguration(this.ofTemplate({ templateId, content, contentVersion: 1 }));
    if (faults.length === 0) return;
    const violations = faults.map((message) => ({ pointer: '', message }));
    throw new Problem('validation-failed', `Wallets would refuse this credential: ${faults.join('; ')}.`, violations);
  }

  ofTemplate(template: Pick<Template, 'templateId' | 'content' | 'contentVersion'>): IssuableConfiguration {
    const { templateId, content, contentVersion } = template;
    const origin = { kind: 'template', templateId } as const;
    return configurationOf(templateId, content, origin, this.urls.vct(templateId, contentVersion));
  }

  /** All of them, for metadata documents; the same array while nothing has changed, at most a second old. */
  async all(): Promise<readonly IssuableConfiguration[]> {
    const now = Date.now();
    if (this.listed && now - this.listed.at < freshFor) return this.listed.all;
    const published = await this.publishedTemplates();
    const print = published.map(({ templateId, contentVersion }) => `${templateId}/${contentVersion}`).join();
    const all =
      this.listed?.print === print
        ? this.listed.all
        : [...this.provisioned.values(), ...published.map((template) => this.ofTemplate(template))];
    this.listed = { all, at: now, print };
    return all;
  }

  /** A template has changed here: the next list is read again at once. */
  forget(): void {
    if (this.listed) this.listed = { ...this.listed, at: 0 };
  }

  private async publishedTemplates(): Promise<Template[]> {
    const published: Template[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await this.templates.list({
        where: { status: 'Published' },
        order: 'oldest',
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      });
      published.push(...page.items.map(({ state }) => state));
      cursor = page.nextCursor;
    }
    return published;
  }
}
