import { crc32, deflateSync } from 'node:zlib';
import { type Reply, send } from '../http/requests';

/** A picture of one colour that browsers show. @param colour red, green and blue */
export function png(width: number, height: number, colour: readonly number[] = [18, 16, 124]): Buffer {
  const line = Buffer.from([0, ...Array.from({ length: width }, () => colour).flat()]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const lines = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', head), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))],
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

export function sendPicture(
  url: string,
  picture: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return send(`${url}/v0/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: picture,
  });
}
