import type { StoredStream, StreamRead, StreamRecord } from './stream-record';

/** A stream as this process wrote or read it last. */
export interface CachedStream extends Omit<StreamRecord, 'state'> {
  readonly streamId: string;
  /** JSON: small, and no caller can change what another one gets. */
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
  usedAt: number;
}

/** A value that finds a stream. It never finds another, so this need not be read again. */
interface KeptHandle {
  readonly streamId: string;
  /** Milliseconds since 1970, by the database's clock. */
  readonly expiresAt: number;
}

const mostStreams = 10_000;
/** Characters of all states together; V8 takes a byte for each, two in a text with any beyond Latin-1. */
const mostCharacters = 16 * 1024 * 1024;
const mostHandles = 10_000;
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
  characters = 0;
  /** The one that was used last comes last. */
  private readonly streams = new Map<string, Held>();
  private readonly handles = new Map<string, KeptHandle>();
  /** How often a stream was kept in vain, since it was written last. */
  private readonly unused = new Map<string, number>();
  private wrong = 0;
  private skipped = 0;

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
    const { head, tx, dataKey, streamId: _id, usedAt: _at, state, ...record } = kept;
    return {
      head: bytesOf(head),
      tx,
      record: { ...record, dataKey: bytesOf(dataKey), state: JSON.parse(state) as unknown },
    };
  }

  /** The stream that the value finds. @param now a time that is not before the present one of the database */
  bound(handle: string, now: Date): string | undefined {
    const found = this.handles.get(handle);
    return found !== undefined && now.getTime() < found.expiresAt ? found.streamId : undefined;
  }

  forget(streamId: string): void {
    const kept = this.streams.get(streamId);
    if (kept === undefined) return;
    this.characters -= kept.state.length;
    this.streams.delete(streamId);
  }

  /** Forgets a stream of which a decision was not carried by what is kept: it appended nothing. */
  forgetUnused(streamId: string): void {
    this.forget(streamId);
    if (this.unused.size >= mostStreams) this.unused.clear();
    this.unused.set(streamId, (this.unused.get(streamId) ?? 0) + 1);
  }

  forgetAll(): void {
    this.streams.clear();
    this.characters = 0;
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
    if (stream.state.length > mostCharacters / 100) return;
    const head = stream.head?.toString('latin1');
    const dataKey = stream.dataKey?.toString('latin1');
    this.streams.set(stream.streamId, { ...stream, head, dataKey, usedAt: performance.now() });
    this.characters += stream.state.length;
    while (this.streams.size > mostStreams || this.characters > mostCharacters) {
      const [oldest = ''] = this.streams.keys();
      this.forget(oldest);
    }
  }
}

function bytesOf(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'latin1');
}

export function handleOf(kind: string, hash: string): string {
  return `${hash} ${kind}`;
}
