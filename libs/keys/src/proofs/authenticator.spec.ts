import { Authenticator, hashOfSecret } from './authenticator';
import { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';

const authenticator = new Authenticator(
  new RootKeys(new RootKey(Buffer.from(Array.from({ length: 32 }, (_, index) => index)))),
);

describe('Authenticator', () => {
  it('gives the MACs that another implementation gives', () => {
    expect(authenticator.mac('example', 'one', Buffer.from('two')).toString('hex')).toBe(
      '310367d95448a9fbc90887a9f5a86d09573c662086a645531852610ac107d2b7',
    );
    expect(authenticator.macUnderKeyOf('offer-1', 'transaction-code', '4711', 'offer-1').toString('hex')).toBe(
      'ea495e739117b11892ee90e7f42799bac12060a6cceb3a6849f20cf84e81378f',
    );
  });

  it('recognises its own MAC and nothing near it', () => {
    const mac = authenticator.mac('example', 'one', 'two');
    expect(authenticator.matches(mac, 'example', 'one', 'two')).toBe(true);
    for (const parts of [['onetwo'], ['on', 'etwo'], ['one', 'two', ''], ['', 'one', 'two'], ['two', 'one'], ['one']]) {
      expect(authenticator.matches(mac, 'example', ...parts)).toBe(false);
    }
    expect(authenticator.matches(mac, 'other', 'one', 'two')).toBe(false);
    expect(authenticator.matches(mac.subarray(0, 16), 'example', 'one', 'two')).toBe(false);
  });

  it('hides a short transaction code behind its key', () => {
    const elsewhere = new Authenticator(new RootKeys(new RootKey(Buffer.alloc(32))));
    expect(elsewhere.macUnderKeyOf('offer-1', 'transaction-code', '4711', 'offer-1')).not.toEqual(
      authenticator.macUnderKeyOf('offer-1', 'transaction-code', '4711', 'offer-1'),
    );
    expect(authenticator.macUnderKeyOf('offer-1', 'transaction-code', '4711', 'offer-1')).not.toEqual(
      authenticator.macUnderKeyOf('offer-2', 'transaction-code', '4711', 'offer-2'),
    );
  });
});

describe('hashOfSecret', () => {
  it('is SHA-256', () => {
    // FIPS 180-4 example
    expect(hashOfSecret('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
