import { Authenticator, hashOfSecret } from './authenticator';
import { PublicHandles } from './public-handles';
import { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';

const authenticator = new Authenticator(new RootKeys(new RootKey(Buffer.alloc(32, 7))));
const handles = new PublicHandles(authenticator, { kind: 'offer-handle', hashed: 'bytes' });
const salted = { handleSalt: handles.newSalt() };

describe('a public handle', () => {
  it('is as long as its salt, always the same, and read in one form only', () => {
    expect(Buffer.from(handles.textOf(salted), 'base64url')).toHaveLength(32);
    const text = handles.textOf(salted);
    expect(handles.textOf(salted)).toBe(text);
    expect(handles.hashOfText(text)).toEqual(handles.hashOf(salted));
    for (const other of [`${text}=`, `${text}A`, text.slice(1), ` ${text}`, '', 'A'.repeat(3000)]) {
      expect(handles.hashOfText(other)).toBeUndefined();
    }
  });

  it('is another one for another salt, purpose or key', () => {
    const elsewhere = new Authenticator(new RootKeys(new RootKey(Buffer.alloc(32, 8))));
    const others = [
      handles.textOf({ handleSalt: handles.newSalt() }),
      new PublicHandles(authenticator, { kind: 'presentation-handle', hashed: 'bytes' }).textOf(salted),
      new PublicHandles(elsewhere, { kind: 'offer-handle', hashed: 'bytes' }).textOf(salted),
    ];
    expect(new Set([handles.textOf(salted), ...others]).size).toBe(4);
  });

  it('finds its stream by a hash of its bytes or of its text, until a day after the end of what it names', () => {
    const until = new Date('2026-03-01T12:00:00Z');
    const bound = { kind: 'offer-handle', expiresAt: new Date('2026-03-02T12:00:00Z'), bindsStream: true };
    expect(handles.bindingOf(salted, until)).toEqual({
      ...bound,
      hash: hashOfSecret(Buffer.from(handles.textOf(salted), 'base64url')),
    });
    const byText = new PublicHandles(authenticator, { kind: 'offer-handle', hashed: 'text' });
    expect(byText.bindingOf(salted, until)).toEqual({ ...bound, hash: hashOfSecret(handles.textOf(salted)) });
  });
});
