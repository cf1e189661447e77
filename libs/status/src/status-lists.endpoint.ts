import { Settings } from '@app/config';
import { preferredMediaType, representationConditions, HttpReply, PublicEndpoint, renderedJson } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { Controller, Get, Headers, Param, Query } from '@nestjs/common';
import Negotiator from 'negotiator';
import { listForms, ListSigners } from './list-signers';
import type { ListDocument } from './served-list';
import { StatusLists } from './status-lists';

type Received = Readonly<Record<string, string | undefined>>;

/** Status lists for verifiers (Token Status List §8, Bitstring Status List v1.0 §3). */
@Controller('status_lists')
@PublicEndpoint('wallets')
export class StatusListsEndpoint {
  constructor(
    private readonly lists: StatusLists,
    private readonly signers: ListSigners,
    private readonly settings: Settings,
  ) {}

  /** Where all of them are (Token Status List §9.3). */
  @Get()
  async aggregation(): Promise<HttpReply> {
    const lists = await this.lists.everyList();
    const document = { status_lists: lists.map(({ listId }) => this.signers.urls.statusList(listId)) };
    return renderedJson(JSON.stringify(document), this.cached());
  }

  @Get(':listId')
  async token(
    @Param('listId') listId: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Headers() headers: Received,
  ): Promise<HttpReply> {
    const moment = momentIn(query);
    return this.reply(headers, listForms, (form) =>
      moment === undefined ? this.lists.token(listId, form) : this.lists.tokenAt(listId, moment, form),
    );
  }

  @Get(':listId/:purpose')
  async bitstring(
    @Param('listId') listId: string,
    @Param('purpose') purpose: string,
    @Headers() headers: Received,
  ): Promise<HttpReply> {
    return this.reply(headers, ['application/vc+jwt'], () => this.lists.bitstring(listId, purpose));
  }

  private async reply<MediaType extends string>(
    headers: Received,
    mediaTypes: readonly [MediaType, ...MediaType[]],
    find: (mediaType: MediaType) => Promise<ListDocument>,
  ): Promise<HttpReply> {
    const mediaType = preferredMediaType(headers['accept'], mediaTypes);
    const isKnown = representationConditions(headers['if-match'], headers['if-none-match']);
    const document = await find(mediaType);
    const tag = `"${document.tag}"`;
    // Weak: replicas sign the same content with different signatures.
    const shared = { ...this.cached(document), ETag: `W/${tag}`, Vary: 'Accept, Accept-Encoding' };
    if (isKnown(tag)) return new HttpReply(304, undefined, shared);
    const described = { ...shared, 'Content-Type': mediaType };
    const encoding = new Negotiator({ headers }).encoding(['gzip', 'identity']);
    if (encoding !== 'gzip') return new HttpReply(200, document.token, described);
    return new HttpReply(200, await document.gzipped(), { ...described, 'Content-Encoding': 'gzip' });
  }

  private cached({ until } = { until: Infinity }): Record<string, string> {
    const left = Math.max(0, Math.floor(until - Date.now() / 1000));
    return { 'Cache-Control': `public, max-age=${Math.min(this.settings.statusLists.ttlSeconds, left)}` };
  }
}

/** `time` in seconds since 1970 (Token Status List §8.4). Throws `validation-failed`. */
function momentIn({ time }: Readonly<Record<string, unknown>>): Date | undefined {
  if (time === undefined) return undefined;
  if (typeof time === 'string' && /^\d{1,11}$/.test(time)) return new Date(Number(time) * 1000);
  throw new Problem('validation-failed', 'time must be given once, in whole seconds since 1970-01-01T00:00:00Z.');
}
