import { getHeapStatistics } from 'node:v8';
import type { StoredStream, StreamRead, StreamRecord } from './stream-record';

/** A stream as this process wrote or read it last. */
export interface CachedStream extends Omit<StreamRecord, 'state'> {
  readonly streamId: string;
  /** JSON: small. */
  readonly state: string;
  readonly head: Buffer | undefined;
  /** The transaction that wrote the row, as its `xmin`. */
  readonly tx: string;
}

/**
 * As it is in memory. A small Buffer is a view of a block of 8 KiB, which all of it would keep there; a string of Latin-1 has a
 * byte for each of its bytes.
 */
interface Held extends Omit<CachedStream, 'head' | 'dataKey'> {
  readonly head: string | undefined;
  readonly dataKey: string | undefined;
  bytes: number;
  usedAt: number;
  /** How often it was found. */
  found: number;
  /** The state, of what is found again and again. */
  parsed?: unknown;
}

/** A value that finds a stream. It never finds another, so this need not be read again. */
interface KeptHandle {
  readonly streamId: string;
  /** Milliseconds since 1970, by the database's clock. */
  readonly expiresAt: number;
}

/** Bytes of all streams together, in a heap that has room for them; a smaller one gives an eighth of what it may grow to. */
const mostBytes = 16 * 1024 * 1024;
/** Bytes of a stream besides its texts: identifier, times, transaction, the object and its place in the table. */
const fixedBytes = 950;
/** After so many finds a state is kept parsed: a template is, what changes with each request is not. */
const mostParsed = 2;
/** Bytes of a parsed state for each character of its JSON: an estimate. */
const parsedBytes = 4;
/** Of a handle there are some 250 bytes. */
const mostHandles = 10_000;
/** Streams of which the count of vain uses is known; their identifiers take some 150 bytes each. */
const mostCounted = 10_000;
/** Milliseconds. */
const longestUnused = 15 * 60 * 1000;

/** After so many decisions in a row that appended nothing to a stream, reading it is no reason to keep it: a public offer. */
const mostUnused = 2;

/** Of the last presumptions, weighted, how many may have been wrong; a wrong one costs its statement and those that share it. */
const mostWrong = 0.1;
const weight = 0.01;
/** How often it is tried all the same: once in so many times. */
const tryAfter = 50;

/**
 * What streams were when this process wrote or read them last. Other replicas may have changed them since, so a unit of work may
 * only presume it: see `UnitsOfWork`. Of personal data it has what the database has: sealed content and wrapped keys.
 */
export class StreamCache {
  bytes = 0;
  /** The one that was used last comes last. */
  private readonly streams = new Map<string, Held>();
  private readonly handles = new Map<string, KeptHandle>();
  /** How often a stream was kept in vain, since it was written last. */
  private readonly unused = new Map<string, number>();
  private readonly most: number;
  private wrong = 0;
  private skipped = 0;

  /** @param heapLimit bytes to which the heap may grow */
  constructor(heapLimit = getHeapStatistics().heap_size_limit) {
    this.most = Math.min(mostBytes, heapLimit / 8);
  }

  get size(): number {
    return this.streams.size;
  }

  /** Keeps what was written. Ignored when a later version is known. */
  keep(stream: CachedStream): void {
    this.unused.delete(stream.streamId);
    this.put(stream);
  }

  /** As `keep`, of what was read. */
  keepRead({ streamId, record: { state: _parsed, ...record }, head, tx, text }: StreamRead): void {
    if (text === undefined || tx === undefined || (this.unused.get(streamId) ?? 0) >= mostUnused) return;
    this.put({ ...record, streamId, head, tx, state: text });
  }

  /** @param handle as of `handleOf` */
  bind(handle: string, bound: KeptHandle): void {
    this.handles.set(handle, bound);
    if (this.handles.size <= mostHandles) return;
    const [oldest = ''] = this.handles.keys();
    this.handles.delete(oldest);
  }

  find(streamId: string): StoredStream | undefined {
    const kept = this.streams.get(streamId);
    if (kept === undefined) return undefined;
    this.streams.delete(streamId);
    this.streams.set(streamId, kept);
    kept.usedAt = performance.now();
    const { head, tx, dataKey, version, createdAt, updatedAt } = kept;
    const record = { version, createdAt, updatedAt, dataKey: bytesOf(dataKey), state: this.stateOf(kept) };
    return { head: bytesOf(head), tx, record };
  }

  /** No caller can change what another one gets. */
  private stateOf(kept: Held): unknown {
    if (kept.parsed !== undefined) return kept.parsed;
    if (kept.found++ < mostParsed) return JSON.parse(kept.state);
    kept.parsed = JSON.parse(kept.state, (_name, value: unknown) => Object.freeze(value));
    this.bytes -= kept.bytes;
    kept.bytes += parsedBytes * kept.state.length;
    this.bytes += kept.bytes;
    this.makeRoom();
    return kept.parsed;
  }

  /** The stream that the value finds. @param now a time that is not before the present one of the database */
  bound(handle: string, now: Date): string | undefined {
    const found = this.handles.get(handle);
    return found !== undefined && now.getTime() < found.expiresAt ? found.streamId : undefined;
  }

  forget(streamId: string): void {
    const kept = this.streams.get(streamId);
    if (kept === undefined) return;
    this.bytes -= kept.bytes;
    this.streams.delete(streamId);
  }

  /** Forgets a stream of which a decision was not carried by what is kept: it appended nothing. */
  forgetUnused(streamId: string): void {
    this.forget(streamId);
    if (this.unused.size >= mostCounted) this.unused.clear();
    this.unused.set(streamId, (this.unused.get(streamId) ?? 0) + 1);
  }

  forgetAll(): void {
    this.streams.clear();
    this.bytes = 0;
  }

  /** Forgets what was not used for a quarter of an hour. */
  forgetOld(): void {
    const limit = performance.now() - longestUnused;
    for (const [streamId, { usedAt }] of this.streams) {
      if (usedAt > limit) return;
      this.forget(streamId);
    }
  }

  /** Whether to presume anything now: replicas that take turns with the same streams find little as they left it. */
  isWorthTrying(): boolean {
    if (this.wrong <= mostWrong) return true;
    this.skipped = (this.skipped + 1) % tryAfter;
    return this.skipped === 0;
  }

  /** @param isRight whether the database had the streams as they were presumed to be */
  report(isRight: boolean): void {
    this.wrong += ((isRight ? 0 : 1) - this.wrong) * weight;
  }

  private put(stream: CachedStream): void {
    const former = this.streams.get(stream.streamId);
    if (former !== undefined && former.version > stream.version) return;
    this.forget(stream.streamId);
    const head = stream.head?.toString('latin1');
    const dataKey = stream.dataKey?.toString('latin1');
    const bytes = fixedBytes + sizeOf(stream.state) + (head?.length ?? 0) + (dataKey?.length ?? 0);
    if (bytes > this.most / 100) return;
    this.streams.set(stream.streamId, { ...stream, head, dataKey, bytes, usedAt: performance.now(), found: 0 });
    this.bytes += bytes;
    this.makeRoom();
  }

  private makeRoom(): void {
    while (this.bytes > this.most) {
      const [oldest = ''] = this.streams.keys();
      this.forget(oldest);
    }
  }
}

/** Bytes that V8 takes for a text: one for each character, two in a text with any beyond Latin-1; an upper bound. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

function bytesOf(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'latin1');
}

export function handleOf(kind: string, hash: string): string {
  return `${hash} ${kind}`;
}
