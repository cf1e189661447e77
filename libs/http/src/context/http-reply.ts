/**
 * A response with more than a JSON body. Controllers return it instead of touching the framework's response object, so the
 * HTTP adapter stays replaceable. A string or bytes are sent as they are, a `Readable` as it is read and for as long as the
 * client listens, any other `body` as JSON.
 */
export class HttpReply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly personalData?: PersonalDataOf,
  ) {}

  /** The same, with personal data that is erased with a stream: no copy of the response may outlive that. */
  withPersonalDataOf(stream: PersonalDataOf): HttpReply {
    return new HttpReply(this.status, this.body, this.headers, stream);
  }
}

/** A stream with its data key as it is stored. */
export interface PersonalDataOf {
  readonly streamId: string;
  readonly wrappedKey: Buffer;
}

/** 201 with the address of what was created. */
export function created(location: string, body: unknown): HttpReply {
  return new HttpReply(201, body, { Location: location });
}

/** 302: the resource in this form is elsewhere. */
export function redirectTo(location: string): HttpReply {
  return new HttpReply(302, undefined, { Location: location, 'Cache-Control': 'no-store' });
}

/** A response whose representation is not JSON, for example an image or plain text. */
export function representation(contentType: string, body: string | Uint8Array, status = 200): HttpReply {
  return new HttpReply(status, body, { 'Content-Type': contentType, Vary: 'Accept' });
}

/** A JSON document that was serialised before; saves a second serialisation of documents that seldom change. */
export function renderedJson(json: string, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return new HttpReply(200, json, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
}
