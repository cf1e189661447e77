import {
  type Decision,
  type DomainEvent,
  type FoundStream,
  type Repository,
  type SingleUse,
  type UpdateOptions,
  refuseNewer,
  shapeVersionOf,
  withoutVersion,
  withVersion,
  shapeVersions,
} from '@app/event-store';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { type Authenticator, hashOfSecret } from './authenticator';

/** The random value in a stream's state that its public handle follows from. */
interface Salted {
  readonly handleSalt: string;
}

type HandleKind = 'offer-handle' | 'presentation-handle' | 'authorization-handle';

export interface HandleOptions {
  /** Purpose of the key, and kind of the value that is bound to the stream. */
  readonly kind: HandleKind | 'authorization-grant';
  /** What the bound hash is made of. */
  readonly hashed: 'bytes' | 'text';
}

interface Handle {
  /** base64url */
  readonly text: string;
  readonly hash: Buffer;
}

const mostKnown = 1000;
/** Bytes. Conformance tools measure the entropy of what wallets see by its characters. */
const saltLength = 32;
/** Of any handle. */
const mostCharacters = 200;
/** A handle is kept a day longer than what it names, for the wallet that comes in the last minute. */
const graceTime = 24 * 60 * 60 * 1000;

/**
 * The names of streams in public addresses. A handle follows from a salt in the state and a key, so that a copy of the
 * database reveals none; the store finds the stream by the hash of the handle. A stream with a new salt has a new handle,
 * and the earlier ones are void. Salt and handle name the version of their shape, which is that of everything that follows from the salt;
 * a handle of a version after the first is always found by the hash of its text.
 */
export class PublicHandles {
  /** Salts of this kind have the version of the shape; a grant follows from the salt of its authorization. */
  private readonly saltsOf: HandleKind;
  /** By salt, because an exchange with a wallet asks for the same ones several times. */
  private readonly known = new Map<string, Handle>();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly options: HandleOptions,
    private readonly versions: Readonly<Record<HandleKind, number>> = shapeVersions,
  ) {
    const { kind } = options;
    this.saltsOf = kind === 'authorization-grant' ? 'authorization-handle' : kind;
  }

  newSalt(): string {
    return this.authenticator.newSalt(saltLength, this.versions[this.saltsOf]);
  }

  /** base64url; as long as the salt, 32 bytes. Throws `NewerVersionError`, as all that needs the handle of a state. */
  textOf({ handleSalt }: Salted): string {
    return this.of(handleSalt).text;
  }

  /** The hash of the handle that a text is; `undefined` for anything that cannot be one. */
  hashOfText(text: string): Buffer | undefined {
    const handle = Buffer.from(withoutVersion(text), 'base64url');
    // In whatever shape a newer release makes its own; the stream that it finds shows whether it is genuine.
    if (shapeVersionOf(text) > 1) return text.length <= mostCharacters ? hashOfSecret(text) : undefined;
    return handle.length === saltLength && handle.toString('base64url') === text ? this.hashed(handle) : undefined;
  }

  /** The hash of the present handle: 32 bytes. */
  hashOf({ handleSalt }: Salted): Buffer {
    return this.of(handleSalt).hash;
  }

  /** Binds the handle to the stream it is saved with. @param until the end of what it names */
  bindingOf(state: Salted, until: Date): SingleUse {
    const expiresAt = new Date(until.getTime() + graceTime);
    return { kind: this.options.kind, hash: this.hashOf(state), expiresAt, bindsStream: true };
  }

  /** The stream that this is the hash of the present handle of. @param mayBeKept as of `Repository.loadByHandle` */
  find<S extends Salted, E extends DomainEvent>(
    repository: Repository<S, E>,
    hash: Buffer,
    mayBeKept = false,
  ): Awaitable<FoundStream<S> | undefined> {
    return whenThere(repository.loadByHandle(this.options.kind, hash, mayBeKept), (found) =>
      found && this.hashOf(found.state).equals(hash) ? found : undefined,
    );
  }

  /** The stream that this text is the present handle of. */
  findByText<S extends Salted, E extends DomainEvent>(
    repository: Repository<S, E>,
    text: string,
    mayBeKept = false,
  ): Awaitable<FoundStream<S> | undefined> {
    const hash = this.hashOfText(text);
    return hash && this.find(repository, hash, mayBeKept);
  }

  /** `Repository.update` for that stream. Returns the decision's result; `undefined`, without a decision, when there is none. */
  update<S extends Salted, E extends DomainEvent, R>(
    repository: Repository<S, E>,
    hash: Buffer,
    decide: (stream: FoundStream<S>) => Awaitable<Decision<E, R>>,
    options?: UpdateOptions,
  ): Awaitable<R | undefined> {
    const none = { events: [], result: undefined };
    const updated = repository.updateByHandle<R | undefined>(
      this.options.kind,
      hash,
      (found) => (this.hashOf(found.state).equals(hash) ? decide(found) : none),
      options,
    );
    return whenThere(updated, (found) => found?.result);
  }

  private of(salt: string): Handle {
    refuseNewer(this.saltsOf, salt, this.versions[this.saltsOf]);
    const known = this.known.get(salt);
    if (known) return known;
    const bytes = this.authenticator.macOfSalt(this.options.kind, salt);
    const text = withVersion(shapeVersionOf(salt), bytes.toString('base64url'));
    const handle = { text, hash: shapeVersionOf(salt) > 1 ? hashOfSecret(text) : this.hashed(bytes) };
    const [oldest] = this.known.keys();
    if (this.known.size >= mostKnown && oldest !== undefined) this.known.delete(oldest);
    this.known.set(salt, handle);
    return handle;
  }

  private hashed(handle: Buffer): Buffer {
    return hashOfSecret(this.options.hashed === 'bytes' ? handle : handle.toString('base64url'));
  }
}
