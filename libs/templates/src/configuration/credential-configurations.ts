import { Settings } from '@app/config';
import { credentialFormat, type DescriptionDefaults } from '@app/credentials';
import { type Loaded, Repository, type SqlExecutor, STORE_DRIVER, versionsOfFew } from '@app/event-store';
import { WALLET_URLS } from '@app/identity';
import { faultsOfConfiguration, WalletUrls } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { atStore, currentTenant, inTenant, perTenant, type Tenant, Tenants } from '@app/primitives/context';
import { Problem, validationFailed } from '@app/primitives/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { PromisedConfiguration } from '../api';
import { configurationOf, dataModelOf, isFormatKnown, IssuableConfiguration } from './credential-configuration';
import { onlyInDevelopment, unmetNeed } from '../data-sources/data-origin';
import {
  inOrderOfDisplay,
  LiveTemplate,
  Template,
  templateAggregate,
  TemplateContent,
  TemplateEvent,
  TEMPLATES,
} from '../template/template';
import type { TemplateChange } from '../template/template-input';

const freshFor = 1000;
/** Of a tenant, whose templates are compared every two seconds while many tenants are asked for. */
const freshForOfTenant = 3000;
/** Templates whose configuration is kept, and characters of JSON that one may have: together 13 MB, twice that beyond Latin-1. */
const mostKept = 200;
const longestKept = 64 * 1024;

/** Injection token of what the files say, by id. */
export const PROVISIONED = Symbol('PROVISIONED');

interface ListedConfigurations {
  readonly all: readonly IssuableConfiguration[];
  readonly at: number;
  readonly fingerprint: string;
}

interface Memory {
  listed?: ListedConfigurations | undefined;
  /** The versions of the templates as they were compared last, and when they became other ones. */
  versions?: { readonly text: string; readonly since: number };
}

interface Built {
  readonly version: string;
  readonly configuration: IssuableConfiguration;
}

interface Published extends Pick<Loaded<Template>, 'version' | 'updatedAt'> {
  readonly state: LiveTemplate;
}

/** Of the stream, with its time: a database that was restored counts its versions again. */
function versionOf(version: number, updatedAt: Date | undefined): string {
  return `${version}/${updatedAt?.getTime()}`;
}

/** Every credential configuration that can be issued: the provisioned ones and those of published templates. */
@Injectable()
export class CredentialConfigurations {
  private readonly logger = new Logger(CredentialConfigurations.name);
  private readonly memory = perTenant<Memory>({}, () => ({}));
  /** Built from the templates that were read last, of one version each. */
  private readonly kept = perTenant(new Map<string, Built>(), () => new Map<string, Built>());

  constructor(
    @Inject(PROVISIONED) readonly provisioned: ReadonlyMap<string, IssuableConfiguration>,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    @Inject(TEMPLATES) private readonly templates: Repository<Template, TemplateEvent>,
    private readonly settings: Settings,
    @Inject(STORE_DRIVER) private readonly driver: SqlExecutor,
    tenants: Tenants,
  ) {
    tenants.keepUp(async (asked) => {
      for (const store of new Set(asked.map((tenant) => tenant.store))) {
        const ofStore = asked.filter((tenant) => tenant.store === store);
        // What could not be compared is listed again when it is asked for.
        await this.compare(store, ofStore).catch((error: unknown) => {
          this.logger.warn({
            event: 'templates.not-compared',
            reason: error instanceof Error ? error.name : 'unknown',
          });
        });
      }
      return asked;
    });
  }

  /** Keeps what is listed of tenants whose templates are as they were. */
  private async compare(store: string | undefined, tenants: readonly Tenant[]): Promise<void> {
    const now = Date.now();
    const isListed = (tenant: Tenant): boolean => inTenant(tenant, () => this.memory.listed !== undefined);
    const listed = tenants.filter(isListed);
    if (listed.length === 0) return;
    const versions = await atStore(store, () => versionsOfFew(this.driver, templateAggregate.category, listed));
    for (const tenant of listed) {
      const text = versions.get(tenant.mark);
      if (text === undefined) continue;
      inTenant(tenant, () => {
        this.keep(text, now);
      });
    }
  }

  /** @param at when it was asked how the versions are */
  private keep(text: string, at: number): void {
    const { listed, versions } = this.memory;
    if (versions?.text !== text) this.memory.versions = { text, since: Date.now() };
    // It was read after they became what they are.
    else if (listed && listed.at > versions.since && listed.at < at) this.memory.listed = { ...listed, at };
  }

  /** The configuration with this id; for a decision, hence read from the store and never from memory. */
  find(id: string): Awaitable<IssuableConfiguration | undefined> {
    return whenThere(this.findPromised(id), (promised) =>
      promised.status === 'issuable' ? promised.configuration : undefined,
    );
  }

  /** The same for an id that was issuable once: its state when it no longer is. */
  findPromised(id: string): Awaitable<PromisedConfiguration> {
    const configuration = this.provisioned.get(id);
    return configuration ? { status: 'issuable', configuration } : this.findOfTemplate(id);
  }

  /** The same of a template, whatever the files say. */
  findOfTemplate(id: string): Awaitable<PromisedConfiguration> {
    return whenThere(this.templates.load(id), (loaded) => this.promisedBy(loaded));
  }

  private promisedBy({ state, version, updatedAt }: Loaded<Template>): PromisedConfiguration {
    switch (state?.status) {
      case 'Published':
        return { status: 'issuable', configuration: this.built(state, versionOf(version, updatedAt)) };
      case 'Archived':
        return { status: 'archived', configuration: this.built(state, versionOf(version, updatedAt)) };
      case 'Deleted':
        return { status: 'deleted' };
      // What was never published was not promised: a file has named this id before.
      case 'Draft':
      case undefined:
        return { status: 'removed' };
    }
  }

  /** @param version as of `versionOf` */
  private built(template: LiveTemplate, version: string): IssuableConfiguration {
    const { templateId } = template;
    const before = this.kept.get(templateId);
    if (before?.version === version) return before.configuration;
    const configuration = this.ofTemplate(template);
    this.kept.delete(templateId);
    if (JSON.stringify(configuration).length > longestKept) return configuration;
    this.kept.set(templateId, { version, configuration });
    const [oldest = ''] = this.kept.keys();
    if (this.kept.size > mostKept) this.kept.delete(oldest);
    return configuration;
  }

  /**
   * Refuses the id of a provisioned configuration (`conflict`), content that needs a setting (`setting-missing`), and content
   * whose metadata a wallet would have to refuse (`validation-failed`).
   */
  assertSound(templateId: string, content: TemplateContent): void {
    if (this.provisioned.has(templateId)) {
      throw new Problem('conflict', `A provisioned credential configuration has the id ${templateId} already.`);
    }
    if (content.identification === 'development' && this.settings.profile === 'production') {
      throw validationFailed([{ pointer: '/identification', message: onlyInDevelopment }]);
    }
    const need = unmetNeed(content, this.settings.identification);
    if (need) throw new Problem('setting-missing', `${need.pointer}: ${need.message}`);
    const faults = faultsOfConfiguration(this.ofTemplate({ templateId, content, contentVersion: 1, typeVersion: 1 }));
    if (faults.length === 0) return;
    const violations = faults.map((message) => ({ pointer: '', message }));
    throw new Problem('validation-failed', `Wallets would refuse this credential: ${faults.join('; ')}.`, violations);
  }

  ofTemplate(template: Omit<LiveTemplate, 'status' | 'listed'>): IssuableConfiguration {
    const { templateId, content, contentVersion, typeVersion } = inOrderOfDisplay(template);
    const origin = { kind: 'template', templateId, contentVersion } as const;
    return configurationOf(templateId, content, origin, this.defaultsOf(templateId, typeVersion));
  }

  /** The members by which credentials of a template are named, and their data model, with the defaults; none of a format of a newer version. */
  typeOf({ templateId, content, typeVersion }: LiveTemplate): object {
    if (!isFormatKnown(content)) return {};
    const defaults = this.defaultsOf(templateId, typeVersion);
    return { ...credentialFormat(content.format).configure(content, defaults), dataModel: dataModelOf(content) };
  }

  /** The change without members of the type that are as the template shows them: a default that is sent back stays one. */
  withoutRepeatedType(template: LiveTemplate, change: TemplateChange): TemplateChange {
    const shown = new Map<string, unknown>(Object.entries(this.typeOf(template)));
    const isRepeated = ([name, value]: [string, unknown]) =>
      shown.has(name) && isDeepStrictEqual(value, shown.get(name));
    return Object.fromEntries(Object.entries(change).filter((entry) => !isRepeated(entry)));
  }

  private defaultsOf(templateId: string, typeVersion: number): DescriptionDefaults {
    return { vct: this.urls.vct(templateId, typeVersion), sdJwtIdentifier: this.settings.issuer.sdJwtIdentifier };
  }

  /** All of them, for metadata documents; the same array while nothing has changed, at most a second old. */
  all(): Awaitable<readonly IssuableConfiguration[]> {
    const now = Date.now();
    const { listed } = this.memory;
    const fresh = currentTenant() === undefined ? freshFor : freshForOfTenant;
    return listed && now - listed.at < fresh ? listed.all : this.listAll(now);
  }

  private async listAll(now: number): Promise<readonly IssuableConfiguration[]> {
    const published = await this.publishedTemplates();
    const fingerprint = published
      .map(({ state: { templateId, contentVersion } }) => `${templateId}/${contentVersion}`)
      .join();
    const all =
      this.memory.listed?.fingerprint === fingerprint
        ? this.memory.listed.all
        : [...this.provisioned.values(), ...this.allOf(published)];
    this.memory.listed = { all, at: now, fingerprint };
    return all;
  }

  /** Each that is kept is the one of which credentials are issued, so that it is in memory once. */
  private allOf(published: readonly Published[]): readonly IssuableConfiguration[] {
    const areKept = published.length <= mostKept;
    return published.map(({ state, version, updatedAt }) =>
      areKept ? this.built(state, versionOf(version, updatedAt)) : this.ofTemplate(state),
    );
  }

  /** A template has changed here: the next list is read again at once. */
  forget(): void {
    if (this.memory.listed) this.memory.listed = { ...this.memory.listed, at: 0 };
  }

  private async publishedTemplates(): Promise<Published[]> {
    const published: Published[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await this.templates.list({
        where: { status: 'Published' },
        order: 'oldest',
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      });
      published.push(
        ...page.items.flatMap(({ state, version, updatedAt }) =>
          state.status === 'Published' ? [{ state, version, updatedAt }] : [],
        ),
      );
      cursor = page.nextCursor;
    }
    return published;
  }
}
