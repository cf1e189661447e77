import { Problem, problemDocument } from '@app/primitives/problems';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const kibi = 1024;
/** Room for an access token, a DPoP proof and cookies of a proxy: Node's default. Of the address and the headers together. */
export const maxHeaderSize = 16 * kibi;

/** As Node answers them itself; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** A connection as Node keeps it: with the answer that is under way, which is not to be cut into. */
type Connection = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/** The problem of headers that are too large, as the body of the answer. */
export function largeHeaders(publicUrl: string): string {
  const detail = `The address and the headers have more than ${maxHeaderSize / kibi} KiB together.`;
  return JSON.stringify(problemDocument(new Problem('request-header-fields-too-large', detail), publicUrl, '/'));
}

/**
 * Answers a request that was not parsed and ends its connection. Whose address it was for is not known: large headers, which
 * callers that do nothing else wrong may have, get a problem, and the rest a status alone.
 * @param ofLargeHeaders absent until the settings are known
 */
export function answerUnparsed(
  { code = '' }: NodeJS.ErrnoException,
  duplex: Duplex,
  ofLargeHeaders: string | undefined,
): void {
  const connection = duplex as Connection;
  if (connection.writable && connection._httpMessage?.headersSent !== true) {
    const status = statuses[code] ?? 400;
    const body = status === 431 ? (ofLargeHeaders ?? '') : '';
    const headers = [
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
    ];
    const head = [...(body === '' ? [] : headers), 'Connection: close'].join('\r\n');
    connection.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n\r\n${body}`);
  }
  // Clients need not end their half.
  connection.destroySoon();
}
