import { type StatusBitsList as ListBytes, statusAt } from '@app/credentials';
import { StoreUnavailableError } from '@app/event-store';
import { SignerError } from '@app/keys';
import { apart, Turns } from '@app/primitives/context';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { applyEntries, newListBytes } from './list-bytes';
import type { ListValidity } from './list-token';
import { ListAlteredError, type ListVersion, type StatusChanges, unread } from './status-changes';

const gzipped = promisify(gzip);

/** Milliseconds for which a list is not compared with the database again. */
const freshFor = 500;

/** How the documents of one list are signed. */
export interface Signatory {
  /** Seconds for which they may be kept. */
  readonly ttl: number;
  /** The database's clock. */
  readonly now: () => Date;
}

/** Rejects with `SignerError` when the key is elsewhere and cannot be had. */
export type Sign = (list: ListBytes, validity: ListValidity) => Promise<string | Buffer>;

/** Who signs documents of one kind. */
export interface KindSigner {
  readonly keyId: string;
  readonly sign: Sign;
}

/** A signed list as it is sent. */
export class ListDocument {
  private compressed: Promise<Buffer> | undefined;

  constructor(
    readonly token: string | Buffer,
    /** Of its content: replicas sign one content with different signatures. */
    readonly tag: string,
    /** Seconds since 1970. */
    readonly exp: number,
  ) {}

  gzipped(): Promise<Buffer> {
    return (this.compressed ??= apart(() => gzipped(this.token)));
  }
}

/** One status list in the memory of this process, with what was last signed of it. */
export class ServedList {
  private readonly list: ListBytes;
  private version: ListVersion = unread;
  private comparedAt = -Infinity;
  private failure: { readonly error: unknown; readonly at: number } | undefined;
  private readonly documents = new Map<string, ListDocument>();
  /** While a document is made, the list does not change. */
  private readonly turns = new Turns();

  constructor(
    private readonly listId: string,
    size: number,
    private readonly changes: Pick<StatusChanges, 'since'>,
    private readonly signatory: Signatory,
  ) {
    this.list = newListBytes(size);
  }

  /** Seconds that had passed since the list was compared with the database when it was last served. */
  servedAge = 0;

  /**
   * The present list, signed again only when it has changed, when half of its `ttl` is over, or by another key. While its
   * signer cannot be had, the last one is served to its end.
   * @param kind of the document, of which the last one is kept
   * @param signer of the kind, which may throw `SignerError` as well
   */
  document(kind: string, signer: () => KindSigner): Promise<ListDocument> {
    return this.turns.take(async () => {
      await this.compare();
      const validity = presentValidity(this.signatory);
      const known = this.documents.get(kind);
      try {
        const { keyId, sign } = signer();
        const { number, history } = this.version;
        const content = `${number}.${hash('sha256', history, 'base64url').slice(0, 8)}`;
        const tag = [content, validity.period, keyId].join('-');
        if (known?.tag === tag) return known;
        const document = new ListDocument(await sign(this.list, validity), tag, validity.exp);
        this.documents.set(kind, document);
        return document;
      } catch (error) {
        if (error instanceof SignerError && known && validity.iat < known.exp) return known;
        throw error;
      }
    });
  }

  /** What the list says of an entry; `undefined` when it has no such entry. */
  statusOf(entry: number): Promise<number | undefined> {
    return this.turns.take(async () => {
      await this.compare();
      return statusAt(this.list, entry);
    });
  }

  private async compare(): Promise<void> {
    const begin = performance.now();
    const age = begin - this.comparedAt;
    if (age < freshFor) return;
    // Who waited while the database did not answer does not begin to wait anew.
    if (this.failure === undefined || begin - this.failure.at >= freshFor) await this.catchUp(begin);
    if (this.failure === undefined) return;
    const { error } = this.failure;
    // A verifier would keep what it has for as long.
    const mayEnd = error instanceof StoreUnavailableError || error instanceof ListAlteredError;
    if (!mayEnd || age > this.signatory.ttl * 1000) throw error;
    this.servedAge = age / 1000;
  }

  private async catchUp(begin: number): Promise<void> {
    try {
      const changes = await this.changes.since(this.listId, this.version);
      if (changes) {
        if (!changes.isSequel) this.list.bytes.fill(0);
        applyEntries(this.list, changes.entries);
        this.version = changes.version;
      }
      this.comparedAt = begin;
      this.servedAge = 0;
      this.failure = undefined;
    } catch (error) {
      this.failure = { error, at: performance.now() };
    }
  }
}

/** From now on; a list is signed again in each period of half its `ttl`. */
export function presentValidity({ ttl, now }: Signatory): ListValidity & { readonly period: number } {
  const time = now().getTime();
  const iat = Math.floor(time / 1000);
  // It is signed for up to half of the ttl before it is sent, kept by a cache for the ttl, and by the verifier for the ttl.
  return { iat, exp: iat + 3 * ttl, ttl, period: Math.floor(time / (ttl * 500)) };
}
