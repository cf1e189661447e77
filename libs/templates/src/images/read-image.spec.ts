import { longestSide, readImage } from './read-image';

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');
const chunk = (name: string, content: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([u32(content.length), text(name), content, u32(0)]);
const signature = text('\x89PNG\r\n\x1a\n');
const header = (width: number, height: number): Buffer =>
  chunk('IHDR', Buffer.concat([u32(width), u32(height), text('\x08\x02\0\0\0')]));
const png = (width = 3, height = 2): Buffer =>
  Buffer.concat([signature, header(width, height), chunk('IDAT', text('x')), chunk('IEND')]);

const frame = (marker: string, width: number, height: number): Buffer =>
  Buffer.concat([text(`\xff${marker}\0\x0b\x08`), u32(height * 65_536 + width), text('\x01\x01\x11\0')]);
const scan = text('\xff\xda\0\x08\x01\x01\0\0?\0data');
const jpeg = (...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([text('\xff\xd8'), ...segments, text('\xff\xd9')]);
const jfif = text('\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0');

function webp(name: string, content: string): Buffer {
  const riff = Buffer.concat([text('RIFF....WEBP'), text(name), text('....'), text(content.padEnd(14, '\0'))]);
  riff.writeUInt32LE(riff.length - 8, 4);
  return riff;
}
const vp8 = webp('VP8 ', '\0\0\0\x9d\x01\x2a\x03\x40\x02\x40');

describe('a picture', () => {
  it.each([
    ['a PNG', png(), 'png'],
    ['a baseline JPEG', jpeg(jfif, frame('\xc0', 3, 2), scan), 'jpg'],
    [
      'a progressive JPEG, with bytes between its segments',
      jpeg(jfif, text('\xff\xff'), frame('\xc2', 3, 2), scan),
      'jpg',
    ],
    ['a lossy WebP', vp8, 'webp'],
    ['a lossless WebP', webp('VP8L', '\x2f\x02\x40\0\0'), 'webp'],
    ['an extended WebP', webp('VP8X', '\x10\0\0\0\x02\0\0\x01\0\0'), 'webp'],
  ])('is known by its content and has the size that it says: %s', (_, bytes, kind) => {
    expect(readImage(bytes)).toEqual({ kind, width: 3, height: 2 });
  });

  it('may have the longest sides', () => {
    expect(readImage(png(longestSide, longestSide))).toMatchObject({ width: longestSide });
  });

  it.each([
    ['one row of a thousand million pixels', png(1_000_000_000, 1), 'has 1000000000 × 1 pixels'],
    ['one column of them', png(1, 1_000_000_000), 'has 1 × 1000000000 pixels'],
    ['one pixel more', png(longestSide + 1, 1), '2049 × 1'],
    ['no width', png(0, 1), 'has 0 × 1 pixels'],
    ['a JPEG of no height', jpeg(frame('\xc0', 3, 0), scan), 'has 3 × 0 pixels'],
    ['a WebP of sixteen million columns', webp('VP8X', '\0\0\0\0\xff\xff\xff\0\0\0'), '16777216 × 1'],
  ])('is refused for its size: %s', (_, bytes, words) => {
    expect(readImage(bytes)).toContain(words);
  });

  it.each([
    ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['SVG with a declaration', text('<?xml version="1.0"?><svg/>')],
    ['SVG behind a byte order mark and white space', text('\xef\xbb\xbf \n\t<svg/>')],
    ['HTML', text('<!doctype html><script>alert(1)</script>')],
  ])('is refused as markup: %s', (_, bytes) => {
    expect(readImage(bytes)).toContain('SVG or other markup');
  });

  it.each([
    ['GIF', text('GIF89a\x01\0\x01\0')],
    ['compressed SVG', text('\x1f\x8b\x08\0')],
    ['nothing', Buffer.alloc(0)],
    ['AVIF', text('\0\0\0\x1cftypavif')],
    ['a sound in a RIFF', text('RIFF\x24\0\0\0WAVEfmt ')],
    ['a PNG with text in front', Buffer.concat([text(' '), png()])],
  ])('is refused as no picture: %s', (_, bytes) => {
    expect(readImage(bytes)).toBe('is no PNG, JPEG or WebP');
  });

  const markup = text('<script>alert(1)</script>');
  it.each([
    ['a PNG with markup behind its end', Buffer.concat([png(), markup])],
    ['a PNG without its end', png().subarray(0, -1)],
    ['a PNG that ends in a chunk', png().subarray(0, 40)],
    ['a PNG of the first bytes', signature],
    ['a PNG that begins with another chunk', Buffer.concat([signature, chunk('IDAT'), chunk('IEND')])],
    ['a PNG without data', Buffer.concat([signature, header(1, 1), chunk('IEND')])],
    ['a PNG with a chunk of four gigabytes', Buffer.concat([signature, header(1, 1), u32(0xffff_ffff), text('tEXt')])],
    ['a JPEG with markup behind its end', Buffer.concat([jpeg(frame('\xc0', 3, 2), scan), markup])],
    ['a JPEG without a frame', jpeg(jfif, scan)],
    ['a JPEG with two frames', jpeg(frame('\xc0', 3, 2), frame('\xc0', 3, 2), scan)],
    ['a JPEG without a scan', jpeg(frame('\xc0', 3, 2))],
    ['a JPEG with a segment beyond its end', jpeg(text('\xff\xe0\xff\xff'), scan)],
    ['a JPEG of the first bytes', text('\xff\xd8\xff\xd9')],
    ['a WebP with markup behind its end', Buffer.concat([vp8, markup])],
    ['a WebP that is cut off', vp8.subarray(0, -2)],
    ['a WebP of a kind that there is not', webp('VP9 ', '')],
    ['a WebP without the start of its frame', webp('VP8 ', '')],
    ['a lossless WebP without its mark', webp('VP8L', '')],
  ])('is refused unless it is whole, and nothing more: %s', (_, bytes) => {
    expect(readImage(bytes)).toContain('damaged, cut off or has something behind its end');
  });
});
