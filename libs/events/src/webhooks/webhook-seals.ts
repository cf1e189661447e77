import { additionalDataOf, Sealer } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { webhookAggregate } from './webhook';

/** What of a webhook is sealed. */
export type SealedPart = 'url' | 'secret';

/** Seals and opens under the data key of one webhook. `open` throws `SealBrokenError`. */
export interface WebhookSeal {
  readonly seal: (part: SealedPart, text: string) => string;
  readonly open: (part: SealedPart, sealed: string) => string;
}

/** The data keys of webhooks: without its key, neither the secrets of a webhook nor its URL can be read. */
@Injectable()
export class WebhookSeals {
  constructor(private readonly sealer: Sealer) {}

  /** @returns the new key as it is stored, with what the work made */
  async withNewKey<T>(
    webhookId: string,
    work: (seal: WebhookSeal) => T,
  ): Promise<{ readonly wrapped: Buffer; readonly made: T }> {
    const { dataKey, wrapped } = await this.sealer.newDataKey(streamOf(webhookId));
    return { wrapped, made: this.using(webhookId, dataKey, work) };
  }

  /** @param wrapped the key as it is stored */
  async withKey<T>(webhookId: string, wrapped: Buffer | undefined, work: (seal: WebhookSeal) => T): Promise<T> {
    const dataKey = wrapped && (await this.sealer.unwrap(wrapped, streamOf(webhookId)));
    if (!dataKey) throw new Error('The data key of a webhook is missing.');
    return this.using(webhookId, dataKey, work);
  }

  private using<T>(webhookId: string, dataKey: Buffer, work: (seal: WebhookSeal) => T): T {
    const placeOf = (part: SealedPart) => additionalDataOf({ streamId: streamOf(webhookId), event: part });
    try {
      return work({
        seal: (part, text) => this.sealer.seal(dataKey, text, placeOf(part)),
        open: (part, sealed) => this.sealer.open(dataKey, sealed, placeOf(part)).toString('utf8'),
      });
    } finally {
      dataKey.fill(0);
    }
  }
}

function streamOf(webhookId: string): string {
  return `${webhookAggregate.category}-${webhookId}`;
}
