import { NewerVersionError } from '@app/event-store';
import { Authenticator } from './authenticator';
import { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';
import { SealedTokens } from './sealed-token';
import { NamedShapes } from '../shapes';

const root = new RootKeys(new RootKey(Buffer.from(Array.from({ length: 32 }, (_, index) => index))));
const authenticator = new Authenticator(root);
const tokensOf = (versions: Record<string, number>) =>
  new SealedTokens(authenticator, new NamedShapes(authenticator, versions));
const tokens = tokensOf({ nonce: 1, 'access-token': 1 });
const body = Buffer.from(Array.from({ length: 16 }, (_, index) => index));
const expiresAt = new Date('2026-01-01T00:00:00Z');
const before = new Date(expiresAt.getTime() - 1);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('SealedTokens', () => {
  it('gives the tokens that another implementation gives', () => {
    expect(tokens.issue('nonce', body, expiresAt)).toBe(
      'AAECAwQFBgcICQoLDA0ODwGbdtqoALhDegFx_11_OLC3gc93sTwV8wpwcIpNc9qOz_Q_GzQZ',
    );
    expect(tokens.issue('nonce', body, expiresAt, 'wallet-7')).toBe(
      'AAECAwQFBgcICQoLDA0ODwGbdtqoAN8MbGCj5Cwa9S5VyQ2j-7A6-ccX3xNC3b8xBD8ZkxdB',
    );
  });

  it('reads what it issued until it expires', () => {
    const token = tokens.issue('nonce', body, expiresAt);
    expect(tokens.read('nonce', token, 16, before)).toEqual({ body, expiresAt });
    expect(tokens.read('nonce', token, 16, expiresAt)).toBe('expired');
  });

  it('knows purpose and binding', () => {
    const free = tokens.issue('nonce', body, expiresAt);
    const bound = tokens.issue('nonce', body, expiresAt, 'wallet-7');
    expect(tokens.read('nonce', bound, 16, before, 'wallet-7')).toEqual({ body, expiresAt });
    expect(tokens.read('nonce', bound, 16, before, 'wallet-8')).toBe('forged');
    expect(tokens.read('nonce', bound, 16, before)).toBe('forged');
    expect(tokens.read('nonce', free, 16, before, '')).toBe('forged');
    expect(tokens.read('access-token', free, 16, before)).toBe('forged');
  });

  it('accepts one encoding only', () => {
    // 54 and 56 bytes leave unused bits in the last character, where lax decoders accept several letters.
    const long = Buffer.concat([body, Buffer.of(1, 2)]);
    for (const bytes of [body, long]) {
      const token = tokens.issue('nonce', bytes, expiresAt);
      for (let at = 0; at < token.length; at++) {
        for (const letter of alphabet) {
          const other = token.slice(0, at) + letter + token.slice(at + 1);
          if (other !== token)
            expect(['forged', 'malformed']).toContain(tokens.read('nonce', other, bytes.length, before));
        }
      }
      const encodings = [
        `${token}=`,
        ` ${token}`,
        `${token}\n`,
        token.slice(0, -1),
        `${token}A`,
        '',
        token.replace(/[-_]/, '+'),
      ];
      for (const other of encodings.filter((encoding) => encoding !== token))
        expect(tokens.read('nonce', other, bytes.length, before)).toBe('malformed');
    }
  });

  describe('of a later version', () => {
    const later = tokensOf({ nonce: 2, 'access-token': 2 });
    const token = later.issue('nonce', body, expiresAt, 'wallet-7');

    it('name it, and are read by a release that knows it, with those of the version before', () => {
      expect(token).toMatch(/^2~[\w-]+$/);
      expect(later.read('nonce', token, 16, before, 'wallet-7')).toEqual({ body, expiresAt });
      expect(later.read('nonce', token, 16, before, 'wallet-8')).toBe('forged');
      expect(later.read('nonce', tokens.issue('nonce', body, expiresAt), 16, before)).toEqual({ body, expiresAt });
    });

    it('are refused as such by a release that does not, whatever they are bound to', () => {
      expect(() => tokens.read('nonce', token, 16, before)).toThrow(NewerVersionError);
      expect(() => tokens.read('nonce', token, 16, before, 'wallet-8')).toThrow(NewerVersionError);
    });

    it('are no others when a character differs, the version is another one, or they are read as something else', () => {
      for (let at = 0; at < token.length; at++) {
        for (const letter of ['A', 'Q', '3', '~']) {
          const other = token.slice(0, at) + letter + token.slice(at + 1);
          if (other === token) continue;
          for (const each of [tokens, later])
            expect(each.read('nonce', other, 16, before, 'wallet-7')).toBe('malformed');
        }
      }
      expect(tokens.read('nonce', token.slice(2), 16, before, 'wallet-7')).toBe('malformed');
      expect(tokens.read('access-token', token, 16, before, 'wallet-7')).toBe('malformed');
    });
  });

  it('is malformed with a body of another length', () => {
    expect(tokens.read('nonce', tokens.issue('nonce', body, expiresAt), 15, before)).toBe('malformed');
  });
});
