import { noteChange } from '@app/access';
import { Settings } from '@app/config';
import { WALLET_URLS } from '@app/identity';
import { type CredentialDisplay, type WalletUrls } from '@app/openid4vc';
import { Tenants } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { CredentialConfigurations } from '../configuration/credential-configurations';
import { TemplateRecords } from '../template/template-records';
import { ImageTable, type StoredImage } from './image-table';
import { type ImageKind, imageTypes, mostImageBytes, readImage } from './read-image';

/** Of one issuer: 20 MB. */
export const mostImages = 100;

/** A picture with what is said of it. */
export interface ServedImage {
  readonly mediaType: string;
  readonly content: Buffer;
}

/** Pictures that wallets load from here: of cards, and of the issuer. */
@Injectable()
export class Images implements OnModuleInit {
  constructor(
    private readonly table: ImageTable,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    private readonly templates: TemplateRecords,
    private readonly configurations: CredentialConfigurations,
    private readonly tenants: Tenants,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.tenants.endWith(() => this.table.removeAll());
  }

  /** The same content is stored once. Throws `payload-too-large`, `invalid-image`, and `conflict` when there are too many. */
  async add(content: Buffer): Promise<StoredImage> {
    if (content.length > mostImageBytes) {
      const detail = `The picture has ${content.length} bytes, and may have ${mostImageBytes}.`;
      throw new Problem('payload-too-large', detail);
    }
    const image = readImage(content);
    if (typeof image === 'string') throw new Problem('invalid-image', `The file ${image}.`);
    const imageId = hashOf(content);
    if (await this.table.add(imageId, image, content, mostImages)) noteChange(imageId);
    const stored = await this.table.find(imageId);
    if (stored) return stored;
    throw new Problem('conflict', `There are ${mostImages} pictures already. Delete one that nothing shows.`);
  }

  list(): Promise<StoredImage[]> {
    return this.table.list();
  }

  /** @param kind that it has to be of, when given @returns undefined where there is none, or one that is not what it was */
  async content(imageId: string, kind?: ImageKind): Promise<ServedImage | undefined> {
    const found = await this.table.content(imageId);
    if (!found || (kind !== undefined && kind !== found.kind) || hashOf(found.content) !== imageId) return undefined;
    return { mediaType: imageTypes[found.kind], content: found.content };
  }

  /** Throws `not-found`, and `conflict` while the issuer or a card shows it. */
  async remove(imageId: string): Promise<void> {
    if (!(await this.table.find(imageId))) throw unknownImage(imageId);
    const shownBy = await this.shownBy(imageId);
    if (shownBy !== undefined) {
      throw new Problem('conflict', `The picture is shown by ${shownBy}. Change that first.`);
    }
    if (await this.table.remove(imageId)) noteChange(imageId);
  }

  addressOf({ imageId, kind }: Pick<StoredImage, 'imageId' | 'kind'>): string {
    return this.urls.image(`${imageId}.${kind}`);
  }

  /** In words. */
  private async shownBy(imageId: string): Promise<string | undefined> {
    const shows = (display: readonly CredentialDisplay[] = []): boolean =>
      display.some(({ logo, background_image: background }) =>
        [logo, background].some((one) => one && this.urls.imageAt(one.uri)?.startsWith(`${imageId}.`) === true),
      );
    if (this.settings.issuer.logo.startsWith(`${imageId}.`)) return 'the issuer, as its logo';
    for (const { id, display } of this.configurations.provisioned.values())
      if (shows(display)) return `the configuration ${id}`;
    let cursor: string | undefined;
    do {
      const page = await this.templates.list({ limit: 200, ...(cursor !== undefined && { cursor }) }, undefined);
      const found = page.items.find(({ content }) => shows(content.display));
      if (found) return `the template ${found.templateId}`;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return undefined;
  }
}

export function unknownImage(imageId: string): Problem {
  return new Problem('not-found', `There is no picture with the id ${imageId}.`);
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
