import fc from 'fast-check';
import { parseStrictJson, parseStrictJsonObject, StrictJsonError, type StrictJsonFault } from './strict-json';

function faultOf(json: string | Uint8Array): StrictJsonFault | undefined {
  try {
    parseStrictJson(json);
    return undefined;
  } catch (error) {
    if (error instanceof StrictJsonError) return error.fault;
    throw error;
  }
}

describe('strict JSON', () => {
  it('reads every JSON value as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (json) => {
        expect(parseStrictJson(json)).toEqual(JSON.parse(json));
      }),
    );
  });

  it.each<[string, string | Uint8Array, StrictJsonFault]>([
    ['a repeated member', '{"aud":"a","aud":"b"}', 'duplicate-name'],
    ['a repeated member in another encoding', '{"aud":"a","\\u0061ud":"b"}', 'duplicate-name'],
    ['a repeated member deep inside', '[{"a":{"b":1,"c":[{}],"b":2}}]', 'duplicate-name'],
    ['a repeated empty name', '{"":1,"":2}', 'duplicate-name'],
    ['depth 33', '['.repeat(33) + ']'.repeat(33), 'too-deep'],
    ['depth 100000', '{"a":'.repeat(100_000), 'too-deep'],
    ['a trailing comma', '{"a":1,}', 'syntax'],
    ['an open string', '{"a":"b', 'syntax'],
    ['an open name', '{"a\\', 'syntax'],
    ['a bad escape in a name', '{"\\x":1}', 'syntax'],
    ['nothing', '', 'syntax'],
    ['two values', '{} {}', 'syntax'],
    ['closing brackets only', ']]}', 'syntax'],
    ['NUL', '{"a":1}\0', 'syntax'],
    ['a byte order mark', '\ufeff{}', 'syntax'],
    ['a byte order mark in bytes', Buffer.from('\ufeff{}'), 'syntax'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 'syntax'],
    ['a lone surrogate', '"\\ud800"', 'lone-surrogate'],
    ['a lone surrogate in a name', '{"a\\uDFFF":1}', 'lone-surrogate'],
  ])('refuses %s', (_, json, fault) => {
    expect(faultOf(json)).toBe(fault);
  });

  it.each([
    ['the same name in two objects', '{"a":{"x":1},"b":{"x":1},"x":1}'],
    ['a string that equals a name', '{"a":"a","b":["a","a"]}'],
    ['quotation marks and brackets in strings', '{"a":"\\"}{[,\\\\","b":"\\\\"}'],
    ['a surrogate pair', '"\\ud83d\\ude00"'],
    ['a text that looks like an escape', '"\\\\ud800"'],
    ['depth 32', '['.repeat(32) + ']'.repeat(32)],
  ])('accepts %s', (_, json) => {
    expect(parseStrictJson(json)).toEqual(JSON.parse(json));
  });

  it('leaves prototypes alone when a member is called __proto__', () => {
    const value = parseStrictJsonObject('{"__proto__":{"admin":true}}');
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['admin']).toBeUndefined();
  });

  it.each(['[]', '"text"', 'null', '1'])('wants an object where an object is expected, not %s', (json) => {
    expect(() => parseStrictJsonObject(json)).toThrow(new StrictJsonError('not-an-object'));
  });
});
