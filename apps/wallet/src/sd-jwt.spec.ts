import { createHash } from 'node:crypto';
import { disclosedClaims, splitSdJwt } from './sd-jwt';

const disclosure = (...content: unknown[]): string =>
  Buffer.from(JSON.stringify(['salt', ...content])).toString('base64url');
const digest = (encoded: string): string => createHash('sha256').update(encoded).digest('base64url');

describe('an SD-JWT', () => {
  it('splits into the signed part and its disclosures', () => {
    expect(splitSdJwt('a.b.c~one~two~')).toEqual({ jwt: 'a.b.c', disclosures: ['one', 'two'] });
  });

  it.each(['a.b.c', 'a.b.c~one', 'a.b.c~one~key.binding.jwt', '~'])('%s is not as an issuer hands it out', (text) => {
    expect(() => splitSdJwt(text)).toThrow();
  });

  it('shows disclosed members, nested members and array items, and drops decoys', () => {
    const inner = disclosure('city', 'Bergen');
    const outer = disclosure('address', { _sd: [digest(inner)] });
    const item = disclosure('gold');
    const payload = {
      open: 1,
      _sd_alg: 'sha-256',
      _sd: [digest(outer), digest('decoy')],
      levels: [{ '...': digest(item) }, { '...': digest('decoy') }, 'silver'],
    };
    expect(disclosedClaims(payload, [item, inner, outer])).toEqual({
      open: 1,
      address: { city: 'Bergen' },
      levels: ['gold', 'silver'],
    });
  });

  const name = disclosure('name', 'Ada');
  const faults: [string, Record<string, unknown>, string[]][] = [
    ['a disclosure without a digest', {}, [name]],
    ['the same disclosure twice', { _sd: [digest(name)] }, [name, name]],
    ['a disclosure that overrides a signed claim', { name: 'Eve', _sd: [digest(name)] }, [name]],
    ['a hidden issuer', { _sd: [digest(disclosure('iss', 'x'))] }, [disclosure('iss', 'x')]],
    ['an array item among the members', { _sd: [digest(disclosure('x'))] }, [disclosure('x')]],
    ['a member among the array items', { list: [{ '...': digest(name) }] }, [name]],
    ['another hash', { _sd_alg: 'sha-512', _sd: [digest(name)] }, [name]],
    ['a parent that is withheld', {}, [disclosure('city', 'Bergen')]],
  ];
  it.each(faults)('is refused with %s', (_fault, payload, disclosures) => {
    expect(() => disclosedClaims(payload, disclosures)).toThrow(/SD-JWT|disclosure/);
  });

  it('leaves prototypes alone when a claim is called __proto__', () => {
    const evil = disclosure('__proto__', { admin: true });
    const claims = disclosedClaims({ _sd: [digest(evil)] }, [evil]);
    expect(Object.hasOwn(claims, '__proto__')).toBe(true);
    expect((claims as { admin?: boolean }).admin).toBeUndefined();
  });
});
