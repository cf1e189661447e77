export type OutboundOptions = {
  /** `host` or `host:port` that may be private and may speak http: development and tests only. */
  readonly allowPrivateHosts?: readonly string[];
  /** Everything from the first byte sent to the last byte read, redirects included. Default 5000. */
  readonly totalTimeoutMs?: number;
  /** Parallel requests to one host. Default 4. */
  readonly perHostConcurrency?: number;
  /** How long a failure is remembered for the same URL. Default 2000; 0 turns it off. */
  readonly negativeCacheMs?: number;
};

export type OutboundRequest = {
  /** Media types (without parameters) that the answer may have. */
  readonly accept: readonly string[];
  /** Default and upper limit: 1 MiB, after decompression. */
  readonly maxBytes?: number;
  /** Default 2. */
  readonly maxRedirects?: number;
};

export type OutboundResponse = {
  readonly status: number;
  /** Media type in lower case, without parameters. */
  readonly contentType: string;
  readonly body: Buffer;
  /** The URL that answered, after redirects. */
  readonly url: string;
};

/** The only way out of the service to a URL that somebody else wrote. */
export class OutboundClient {
  constructor(readonly options: OutboundOptions = {}) {}

  /** Fetches a document; only a 2xx answer of an expected media type is returned. Throws `OutboundError`. */
  get(_url: string, _request: OutboundRequest): Promise<OutboundResponse> {
    throw new Error('not built yet');
  }

  close(): Promise<void> {
    throw new Error('not built yet');
  }
}
