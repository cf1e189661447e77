import { ofTenant } from '@app/primitives/context';
import {
  AlreadyConsumedError,
  EventStore,
  refuseNewer,
  shapeVersions,
  StoreUnavailableError,
  withoutVersion,
  withVersion,
} from '@app/event-store';
import { Problem } from '@app/primitives/problems';
import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { currentPrincipal } from '../context/request-context';
import { HttpReply } from '../context/http-reply';
import { AnswerSeals, IdempotentAnswer, type OpenedAnswer } from './idempotent-answer';

/** The kind under which the store keeps used keys. */
const kind = 'idempotency-key';
const keptFor = 24 * 60 * 60 * 1000;

/** Hashes under keys of the service, which only it can make. The application names who makes them (`Authenticator` of libs/keys). */
export abstract class KeyedHashes {
  /** HMAC-SHA-256 (32 bytes) over the parts, under a key of the purpose's own. */
  abstract mac(purpose: string, ...parts: readonly (Buffer | string)[]): Buffer;
  /** Those under other root keys that may have been in use since then. */
  abstract others(since: Date): KeyedHashes[];
}

/** One key of one client with what it may be used for: the same key with another print is refused. */
export interface IdempotentRequest {
  /** Whose key it is: clients do not see each other's answers, nor whether another one used a key. */
  readonly client: string;
  readonly key: string;
  /** Distinguish requests; see {@link IdempotencyKeys.fingerprintsOf}. */
  readonly fingerprints: readonly string[];
}

/** What follows from a client's key under one root key. */
interface DerivedKey {
  /** Under which its use is recorded. */
  readonly hash: Buffer;
  readonly sealing: Buffer;
}

type Work = () => Promise<HttpReply>;

/** Does work once for each key, whichever replica is asked, and keeps the answers for a day. */
@Injectable()
export class IdempotencyKeys {
  /** Keys at work in this process. Only for an early answer: what counts is the row in the database. */
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly store: EventStore,
    private readonly hashes: KeyedHashes,
    private readonly seals: AnswerSeals,
  ) {}

  /** A keyed hash, because bodies hold personal data: first under the active key, then under others that may be in use. */
  fingerprintsOf(...parts: readonly (string | Buffer)[]): string[] {
    return this.everyHashes().map((each) => each.mac('idempotent-request', ...parts).toString('base64url'));
  }

  /**
   * Runs the work in a unit of work that also uses the key up and keeps the answer, sealed: effect and key are written
   * together or not at all. A refusal writes nothing, so the key stays free.
   * Throws `idempotency-key-reused`, or `conflict` while the same key is at work here.
   */
  once(request: IdempotentRequest, work: Work): Promise<HttpReply> {
    return this.alone(request, async () => (await this.earlier(request)) ?? this.first(request, work));
  }

  /**
   * For work whose parts succeed or fail on their own: each part is done once under its own key, so that a
   * repetition completes what failed. The first part to claim the whole key fixes what may be asked with it.
   */
  inParts<T>(
    request: IdempotentRequest,
    work: (once: (part: number, partWork: Work) => Promise<HttpReply>) => Promise<T>,
  ): Promise<T> {
    return this.alone(request, async () => {
      const isRepeated = (await this.earlier(request)) !== undefined;
      if (!isRepeated) await this.first(request, () => Promise.resolve(new HttpReply(204)));
      return work(async (part, partWork) => {
        // No key of a client has a space.
        const own = { ...request, key: `${request.key} ${part}` };
        return (isRepeated ? await this.earlier(own) : undefined) ?? this.first(own, partWork);
      });
    });
  }

  private async alone<T>(request: IdempotentRequest, work: () => Promise<T>): Promise<T> {
    const claimed = JSON.stringify([ofTenant('client'), request.client, request.key]);
    if (this.inFlight.has(claimed)) {
      const detail = 'A request with this Idempotency-Key is being handled. Send it again in a moment.';
      throw new Problem('conflict', detail, [], { 'Retry-After': '1' });
    }
    this.inFlight.add(claimed);
    try {
      return await work();
    } finally {
      this.inFlight.delete(claimed);
    }
  }

  private async first(request: IdempotentRequest, work: Work): Promise<HttpReply> {
    try {
      return await this.store.transact(async () => {
        const reply = await work();
        const expiresAt = new Date(this.store.clock().getTime() + keptFor);
        const [fingerprint = ''] = request.fingerprints;
        // While the root key changes, replicas may differ about the active one: they have one of these in common.
        for (const each of this.keysOf(request)) {
          const note = await this.note(each, { reply, fingerprint });
          await this.store.consume({ kind, hash: each.hash, expiresAt, note });
        }
        return reply;
      });
    } catch (error) {
      // Another replica may have been faster with the same request: then its answer is the answer, not our failure.
      const earlier = await this.earlier(request).catch((failure: unknown) => {
        // That the answer cannot be looked up says nothing about whether the work was stored; the first failure does.
        if (failure instanceof StoreUnavailableError) throw error;
        throw failure;
      });
      if (earlier) return earlier;
      if (error instanceof AlreadyConsumedError && error.kind === kind) {
        throw new Problem('idempotency-key-reused', 'This Idempotency-Key was used more than 24 hours ago.');
      }
      throw error;
    }
  }

  /** The answer that the key has got before, marked as such. */
  private async earlier(request: IdempotentRequest): Promise<HttpReply | undefined> {
    for (const each of this.keysOf(request)) {
      const note = await this.store.noteOf(kind, each.hash);
      if (note !== undefined) return this.repeated(await this.noted(each, note), request);
    }
    return undefined;
  }

  private async note(key: DerivedKey, { reply, fingerprint }: OpenedAnswer): Promise<string> {
    const stream = reply.personalData;
    if (!stream) return withVersion(shapeVersions['idempotent-answer'], this.answerOf(key).seal(reply, fingerprint));
    const dataKey = await this.seals.unwrap(stream.wrappedKey, stream.streamId);
    const sealed = this.answerOf(key, dataKey).seal(reply, fingerprint);
    return withVersion(
      shapeVersions['idempotent-answer'],
      `${sealed}.${Buffer.from(stream.streamId).toString('base64url')}`,
    );
  }

  /** Throws `idempotency-key-reused` when the answer had personal data that was erased since, and `NewerVersionError`. */
  private async noted(key: DerivedKey, note: string): Promise<OpenedAnswer> {
    refuseNewer('idempotent-answer', note, shapeVersions['idempotent-answer']);
    const [sealed = '', stream] = withoutVersion(note).split('.');
    if (stream === undefined) return this.answerOf(key).open(sealed);
    const streamId = Buffer.from(stream, 'base64url').toString();
    const wrappedKey = await this.store.dataKeyOf(streamId);
    const dataKey = wrappedKey && (await this.seals.unwrap(wrappedKey, streamId));
    if (dataKey) return this.answerOf(key, dataKey).open(sealed);
    throw new Problem(
      'idempotency-key-reused',
      'This Idempotency-Key was sent before, and the answer was erased with the personal data in it.',
    );
  }

  private repeated({ reply, fingerprint }: OpenedAnswer, request: IdempotentRequest): HttpReply {
    if (!request.fingerprints.includes(fingerprint)) {
      throw new Problem(
        'idempotency-key-reused',
        'This Idempotency-Key was sent before, with another body, address or Accept header.',
      );
    }
    return new HttpReply(reply.status, reply.body, { ...reply.headers, 'Idempotent-Replayed': 'true' });
  }

  /** Of the root keys under which a key may have been used: the active one first. */
  private everyHashes(): KeyedHashes[] {
    return [this.hashes, ...this.hashes.others(new Date(this.store.clock().getTime() - keptFor))];
  }

  /** All made at once: the active root key may change before the next statement is answered. */
  private keysOf({ client, key }: IdempotentRequest): DerivedKey[] {
    return this.everyHashes().map((each) => ({
      hash: each.mac(kind, client, key),
      // Sealed under a key that takes the client's own to derive: neither database nor operator can open it alone.
      sealing: each.mac('idempotent-answer', client, key),
    }));
  }

  /** @param erasable the data key of the stream with whose personal data the answer is erased */
  private answerOf({ hash, sealing }: DerivedKey, erasable?: Buffer): IdempotentAnswer {
    const key = erasable ? createHmac('sha256', erasable).update(sealing).digest() : sealing;
    return new IdempotentAnswer(this.seals, key, hash.toString('hex'));
  }
}

/** The key in a header as one of the present caller's client. Throws `validation-failed`. */
export function parseIdempotencyKey(header: string | string[]): Pick<IdempotentRequest, 'client' | 'key'> {
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) {
    return { client: currentPrincipal()?.client ?? '', key: header };
  }
  const message = 'must be given once, with 1 to 255 visible ASCII characters';
  throw new Problem('validation-failed', `The header Idempotency-Key ${message}.`, [
    { pointer: '/Idempotency-Key', message },
  ]);
}
