/** The kinds of pictures that wallets show, by the ending of their addresses. */
export const imageTypes = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;
export type ImageKind = keyof typeof imageTypes;

export const mostImageBytes = 200_000;
/** Pixels of a side: a picture of both takes 16 MiB once it is unpacked. */
export const longestSide = 2048;

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface ReadImage extends Size {
  readonly kind: ImageKind;
}

interface Reader {
  /** Of a picture that is whole; undefined when it is not. */
  readonly sizeIn: (bytes: Buffer) => Size | undefined;
  readonly begins: (bytes: Buffer) => boolean;
}

const startsWith = (start: string, at = 0): Reader['begins'] => {
  const expected = Buffer.from(start, 'latin1');
  return (bytes) => bytes.subarray(at, at + expected.length).equals(expected);
};
const isRiff = startsWith('RIFF');
const isWebp = startsWith('WEBP', 8);

const readers: Readonly<Record<ImageKind, Reader>> = {
  png: { begins: startsWith('\x89PNG\r\n\x1a\n'), sizeIn: pngSize },
  jpg: { begins: startsWith('\xff\xd8\xff'), sizeIn: jpegSize },
  webp: { begins: (bytes) => isRiff(bytes) && isWebp(bytes), sizeIn: webpSize },
};

/**
 * What a file is by its content, whatever it is called. Nothing is unpacked: what is read is how large the picture says it is, and that
 * nothing comes behind its end.
 * @returns in words what is wrong with one that no wallet should load
 */
export function readImage(bytes: Buffer): ReadImage | string {
  const found = Object.entries(readers).find(([, { begins }]) => begins(bytes)) as [ImageKind, Reader] | undefined;
  if (!found) {
    const isMarkup = /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 64));
    return isMarkup
      ? 'is an SVG or other markup, which can carry scripts: export the drawing as PNG'
      : 'is no PNG, JPEG or WebP';
  }
  const [kind, { sizeIn }] = found;
  const size = sizeIn(bytes);
  if (!size) return `is a ${kind.toUpperCase()} that is damaged, cut off or has something behind its end`;
  const { width, height } = size;
  if (Math.min(width, height) >= 1 && Math.max(width, height) <= longestSide) return { kind, width, height };
  return `has ${width} × ${height} pixels, and each side may have 1 to ${longestSide}`;
}

/** PNG §5: chunks of length, name, content and checksum, from IHDR to IEND. */
function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  let at = 8;
  let hasData = false;
  while (at + 12 <= bytes.length) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    at += 12 + bytes.readUInt32BE(at);
    hasData ||= name === 'IDAT';
    if (name !== 'IEND') continue;
    return hasData && at === bytes.length
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined;
  }
  return undefined;
}

/** ITU-T T.81 §B: segments of marker and length until the scan, among them the frame; nothing behind EOI. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (!bytes.subarray(-2).equals(Buffer.from([0xff, 0xd9]))) return undefined;
  let size: Size | undefined;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xda) return size;
    // SOF0 to SOF15, among which are three other markers: DHT, JPG and DAC.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      if (size) return undefined;
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    // Markers may have further 0xff in front.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** RFC 9649: one RIFF, and of what kind its first chunk is. */
function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 !== bytes.length) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined;
      const sides = bytes.readUInt32LE(21);
      return { width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
