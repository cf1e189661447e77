import { type MovedTable, type SqlExecutor, STORE_DRIVER } from '@app/event-store';
import { currentMark } from '@app/primitives/context';
import { Inject, Injectable } from '@nestjs/common';
import type { ImageKind, ReadImage } from './read-image';

export interface StoredImage extends ReadImage {
  /** The SHA-256 of its content, in hexadecimal digits. */
  readonly imageId: string;
  readonly bytes: number;
  readonly createdAt: Date;
}

const columns = `image_id as "imageId", kind, width, height, length(content) as bytes, created_at as "createdAt"`;

/** What pictures a tenant has. */
export const movedImages: MovedTable = {
  table: 'images',
  columns: ['tenant', 'image_id', 'kind', 'width', 'height', 'content', 'created_at'],
  key: ['tenant', 'image_id'],
  of: (mark) => `tenant <> '' and tenant = '${mark}'`,
  leaves: true,
};

/** The rows of `images`, each of the issuer at hand. */
@Injectable()
export class ImageTable {
  constructor(@Inject(STORE_DRIVER) private readonly executor: SqlExecutor) {}

  /** @param most that there may be, counted without a lock @returns whether it is new; it is not stored twice, nor beyond the most */
  async add(imageId: string, { kind, width, height }: ReadImage, content: Buffer, most: number): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'image-add',
      text: `insert into images (tenant, image_id, kind, width, height, content)
        select $1, $2, $3, $4::int, $5::int, $6::bytea where (select count(*) from images where tenant = $1) < $7::int
        on conflict do nothing returning 1 as one`,
      values: [currentMark(), imageId, kind, width, height, content, most],
    });
    return rows.length > 0;
  }

  async find(imageId: string): Promise<StoredImage | undefined> {
    const [found] = await this.executor.query<StoredImage>({
      name: 'image-find',
      text: `select ${columns} from images where tenant = $1 and image_id = $2`,
      values: [currentMark(), imageId],
    });
    return found;
  }

  async content(imageId: string): Promise<{ readonly kind: ImageKind; readonly content: Buffer } | undefined> {
    const [found] = await this.executor.query<{ kind: ImageKind; content: Buffer }>({
      name: 'image-content',
      text: 'select kind, content from images where tenant = $1 and image_id = $2',
      values: [currentMark(), imageId],
    });
    return found;
  }

  /** The newest first. */
  list(): Promise<StoredImage[]> {
    return this.executor.query<StoredImage>({
      name: 'image-list',
      text: `select ${columns} from images where tenant = $1 order by created_at desc, image_id`,
      values: [currentMark()],
    });
  }

  /** @returns whether it was there */
  async remove(imageId: string): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'image-remove',
      text: 'delete from images where tenant = $1 and image_id = $2 returning 1 as one',
      values: [currentMark(), imageId],
    });
    return rows.length > 0;
  }

  /** Of a tenant that has ended. */
  async removeAll(): Promise<void> {
    await this.executor.query({
      name: 'image-remove-all',
      text: `delete from images where tenant = $1 and tenant <> ''`,
      values: [currentMark()],
    });
  }
}
