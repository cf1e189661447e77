import { type StatusBitsList as ListBytes, statusAt } from '@app/credentials';
import { StoreUnavailableError } from '@app/event-store';
import { SignerError } from '@app/keys';
import { apart, Turns } from '@app/primitives/context';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { allRevoked, applyEntries, newListBytes } from './list-bytes';
import type { ListValidity } from './list-token';
import { ListAlteredError, type ListVersion, type StatusChanges, unread } from './status-changes';

const gzipped = promisify(gzip);

/** Milliseconds for which a list is not compared with the database again. */
const freshFor = 500;
/** Milliseconds that a signature is waited for, and then not asked for again, while what was signed before holds. */
const signingPatience = 1_000;
const signingPause = 5_000;

/** How the documents of one list are signed. */
export interface Signatory {
  /** Seconds for which they may be kept. */
  readonly ttl: number;
  /** The database's clock. */
  readonly now: () => Date;
  /** Whether every entry is revoked, whatever the changes say. */
  readonly isAllRevoked?: boolean;
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
    /** Seconds since 1970 until which it can be kept, where that may come before its `ttl` is over. */
    readonly until = Infinity,
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
  /** By kind: one may have another signer. */
  private readonly pausedUntil = new Map<string, number>();
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
   * The present list, signed again only when it has changed, when half of its `ttl` is over, or by another key. While its signer does not
   * sign, the one before until it expires: that is what verifiers have.
   * @param kind of the document, of which the last one is kept
   * @param signer of the kind, which may throw `SignerError` as well
   */
  document(kind: string, signer: () => KindSigner): Promise<ListDocument> {
    return this.turns.take(async () => {
      await this.compare();
      const validity = presentValidity(this.signatory);
      const known = this.documents.get(kind);
      const earlier = known && validity.iat < known.until ? known : undefined;
      const present = signerOr(earlier, signer);
      if (present instanceof ListDocument) return present;
      const { number, history } = this.version;
      const { isAllRevoked = false } = this.signatory;
      const content = `${isAllRevoked ? 'r' : ''}${number}.${hash('sha256', history, 'base64url').slice(0, 8)}`;
      const tag = [content, validity.period, present.keyId].join('-');
      if (known?.tag === tag) return known;
      if (earlier && performance.now() < (this.pausedUntil.get(kind) ?? 0)) return earlier;
      // A copy: who is not waited for any more may still read it.
      const list = isAllRevoked ? allRevoked(this.list) : { ...this.list, bytes: new Uint8Array(this.list.bytes) };
      const signing = present.sign(list, validity).then((token) => {
        const document = new ListDocument(token, tag, validity.exp);
        this.documents.set(kind, document);
        return document;
      });
      return earlier ? this.signedOr(kind, earlier, signing) : signing;
    });
  }

  private async signedOr(kind: string, earlier: ListDocument, signing: Promise<ListDocument>): Promise<ListDocument> {
    const late = new AbortController();
    const patience = delay(signingPatience, undefined, late).catch(() => undefined);
    const signed = await Promise.race([signing, patience])
      .catch((error: unknown) => {
        if (!(error instanceof SignerError)) throw error;
      })
      .finally(() => {
        late.abort();
      });
    if (!signed) this.pausedUntil.set(kind, performance.now() + signingPause);
    return signed ?? earlier;
  }

  /** What the list says of an entry; `undefined` when it has no such entry. */
  statusOf(entry: number): Promise<number | undefined> {
    return this.turns.take(async () => {
      await this.compare();
      return statusAt(this.signatory.isAllRevoked ? allRevoked(this.list) : this.list, entry);
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

function signerOr(earlier: ListDocument | undefined, signer: () => KindSigner): KindSigner | ListDocument {
  try {
    return signer();
  } catch (error) {
    if (error instanceof SignerError && earlier) return earlier;
    throw error;
  }
}

/** From now on; a list is signed again in each period of half its `ttl`. */
export function presentValidity({ ttl, now }: Signatory): ListValidity & { readonly period: number } {
  const time = now().getTime();
  const iat = Math.floor(time / 1000);
  // It is signed for up to half of the ttl before it is sent, kept by a cache for the ttl, and by the verifier for the ttl.
  return { iat, exp: iat + 3 * ttl, ttl, period: Math.floor(time / (ttl * 500)) };
}
