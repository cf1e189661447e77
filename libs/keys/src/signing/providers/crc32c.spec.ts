import { crc32c } from './crc32c';

describe('a checksum by CRC32C', () => {
  // RFC 3720 appendix B.4, and the usual check value.
  it.each([
    ['32 zero bytes', Buffer.alloc(32), 0x8a9136aa],
    ['32 one bytes', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['32 ascending bytes', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
    ['the digits', Buffer.from('123456789'), 0xe3069283],
    ['nothing', Buffer.alloc(0), 0],
  ])('of %s', (_, data, expected) => {
    expect(crc32c(data)).toBe(expected);
  });
});
