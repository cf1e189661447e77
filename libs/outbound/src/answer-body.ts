import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { OutboundError } from './outbound-error';

/**
 * Reads a body to its end and stops as soon as it has more than `maxBytes`, counted before and after decompression:
 * two hundred kilobytes of gzip can hold two hundred megabytes. Throws `OutboundError`.
 */
export async function readBody(body: Readable, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const collect = (source: AsyncIterable<Buffer>): Promise<Buffer> => collectAtMost(source, maxBytes);
  switch (contentEncoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return pipeline(body, collect);
    case 'gzip':
      return pipeline(body, (source: AsyncIterable<Buffer>) => capped(source, maxBytes), createGunzip(), collect);
    default:
      body.on('error', () => undefined).destroy();
      throw new OutboundError('malformed-body', 'the answer has a content encoding that was not asked for');
  }
}

async function collectAtMost(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of capped(source, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* capped(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundError('too-large', `the answer is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}
