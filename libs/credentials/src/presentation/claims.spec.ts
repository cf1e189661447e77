/** @jest-environment node */
import type { JsonObject } from '@app/primitives/json';
import { assertIssuableClaims, ClaimsError } from './claims';
import { assertDisclosurePointers } from '../formats/sd-jwt-vc/disclosure-pointers';

function faultOf(check: () => void): string {
  try {
    check();
    return 'accepted';
  } catch (error) {
    if (error instanceof ClaimsError) return `${error.reason} ${error.pointer}`;
    throw error;
  }
}

const nested = (depth: number): JsonObject => (depth === 1 ? {} : { a: nested(depth - 1) });
const parsed = (json: string): JsonObject => JSON.parse(json) as JsonObject;

describe('claims', () => {
  it('may be any JSON', () => {
    const claims = parsed(
      '{"a":[1,null,true,{"b/c~d":""}],"constructor":1,"toString":{},"é":"\\ud83d\\ude00","":-0.5}',
    );
    expect(
      faultOf(() => {
        assertIssuableClaims(claims);
      }),
    ).toBe('accepted');
    expect(
      faultOf(() => {
        assertIssuableClaims(nested(24));
      }),
    ).toBe('accepted');
  });

  it.each<[string, JsonObject, string]>([
    ['_sd', { _sd: [] }, 'unsafe-name /_sd'],
    ['... in an array', { a: [0, { '...': 'x' }] }, 'unsafe-name /a/1/...'],
    ['_sd_alg under an odd name', { 'a/b~c': { _sd_alg: 'x' } }, 'unsafe-name /a~1b~0c/_sd_alg'],
    ['__proto__', parsed('{"a":{"__proto__":{"admin":true}}}'), 'unsafe-name /a/__proto__'],
    ['a name with a lone surrogate', { '\ud800': 1 }, 'unsafe-name /\ud800'],
    ['a value with a lone surrogate', { a: 'x\udfff' }, 'not-json /a'],
    ['depth 25', nested(25), `too-deep ${'/a'.repeat(24)}`],
    ['NaN', { a: Number.NaN }, 'not-json /a'],
    ['infinity', { a: [Infinity] }, 'not-json /a/0'],
    ['undefined', { a: undefined } as unknown as JsonObject, 'not-json /a'],
    ['a date', { a: new Date(0) } as unknown as JsonObject, 'not-json /a'],
    ['a big integer', { a: 1n } as unknown as JsonObject, 'not-json /a'],
  ])('must not hold %s', (_, claims, fault) => {
    expect(
      faultOf(() => {
        assertIssuableClaims(claims);
      }),
    ).toBe(fault);
  });
});

describe('disclosure pointers', () => {
  it.each(['/name', '/address/street', '/nationalities/0', '/a~1b', '/a~0b', '/', '/address/status', '/sub'])(
    'may be %j',
    (pointer) => {
      expect(
        faultOf(() => {
          assertDisclosurePointers([pointer]);
        }),
      ).toBe('accepted');
    },
  );

  it.each(['', 'name', '#/name', '$.name', '/a~', '/a~2'])('are not %j', (pointer) => {
    expect(
      faultOf(() => {
        assertDisclosurePointers([pointer]);
      }),
    ).toBe(`invalid-pointer ${pointer}`);
  });

  it.each(['/iss', '/nbf', '/exp', '/cnf', '/cnf/jwk', '/vct', '/vct#integrity', '/aka_vcts/0', '/status/status_list'])(
    'never hide %s',
    (pointer) => {
      expect(
        faultOf(() => {
          assertDisclosurePointers(['/name', pointer]);
        }),
      ).toBe(`protected-claim ${pointer}`);
    },
  );
});
