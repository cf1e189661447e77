import {
  type Answer,
  created,
  HttpReply,
  Implements,
  type Input,
  PublicEndpoint,
  representationConditions,
  Resource,
} from '@app/http';
import { Controller, Get, Headers, NotFoundException, Param } from '@nestjs/common';
import { integrityOf } from '../configuration/picture-integrity';
import type { StoredImage } from './image-table';
import { Images, unknownImage } from './images';
import { images } from './images.contract';
import { type ImageKind, imageTypes } from './read-image';

@Resource(images)
export class ImagesController {
  constructor(private readonly images: Images) {}

  @Implements(images.create)
  async create({ file }: Input<typeof images.create>): Promise<HttpReply> {
    const made = await this.images.add(file.bytes);
    return created(`/v0/images/${made.imageId}`, this.view(made));
  }

  @Implements(images.list)
  async list(): Promise<Answer<typeof images.list>> {
    return { items: (await this.images.list()).map((one) => this.view(one)) };
  }

  @Implements(images.content)
  async content({ params: { imageId } }: Input<typeof images.content>): Promise<HttpReply> {
    const image = await this.images.content(imageId);
    if (!image) throw unknownImage(imageId);
    return new HttpReply(200, image.content, { 'Content-Type': image.mediaType });
  }

  @Implements(images.remove)
  async remove({ params: { imageId } }: Input<typeof images.remove>): Promise<void> {
    await this.images.remove(imageId);
  }

  private view(image: StoredImage): Answer<typeof images.create> {
    const { imageId, kind, width, height, bytes, createdAt } = image;
    return {
      imageId,
      uri: this.images.addressOf(image),
      integrity: integrityOf(imageId),
      mediaType: imageTypes[kind],
      ...{ width, height, bytes },
      createdAt: createdAt.toISOString(),
    };
  }
}

/** For wallets. An address has one content for ever, or none. */
@Controller('images')
@PublicEndpoint('wallets')
export class ImageFilesEndpoint {
  constructor(private readonly images: Images) {}

  @Get(':file')
  async file(
    @Param('file') file: string,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
  ): Promise<HttpReply> {
    const [, imageId, kind] = /^([0-9a-f]{64})\.(png|jpg|webp)$/.exec(file) ?? [];
    const isKnown = representationConditions(headers['if-match'], headers['if-none-match']);
    const image = imageId === undefined ? undefined : await this.images.content(imageId, kind as ImageKind);
    if (!image) throw new NotFoundException();
    const tag = `"${imageId ?? ''}"`;
    const shared = { 'Cache-Control': 'public, max-age=86400, immutable', ETag: tag };
    if (isKnown(tag)) return new HttpReply(304, undefined, shared);
    return new HttpReply(200, image.content, {
      ...shared,
      'Content-Type': image.mediaType,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
  }
}
