/** @jest-environment node */
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

function explanationOf(json: string | Uint8Array): string | undefined {
  try {
    parseStrictJson(json);
    return undefined;
  } catch (error) {
    if (error instanceof StrictJsonError) return error.explanation();
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
    ['a byte order mark', '\ufeff{}', 'byte-order-mark'],
    ['a byte order mark in bytes', Buffer.from('\ufeff{}'), 'byte-order-mark'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 'encoding'],
    ['a lone surrogate', '"\\ud800"', 'lone-surrogate'],
    ['a lone surrogate in a name', '{"a\\uDFFF":1}', 'lone-surrogate'],
  ])('refuses %s', (_, json, fault) => {
    expect(faultOf(json)).toBe(fault);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['a comma too many', '{\n  "a": 1,\n}', 'a name in double quotation marks is expected at line 3, column 1'],
    ['single quotation marks', "{'a': 1}", 'unexpected characters at line 1, column 2'],
    ['a missing comma', '{"a": 1\n "b": 2}', 'a comma is expected at line 2, column 2'],
    ['a missing colon', '{"a" 1}', 'a colon is expected at line 1, column 6'],
    [
      'a text that ends',
      '{"a": [1',
      'a closing bracket or a comma is expected at line 1, column 9, where the text ends',
    ],
    ['nothing', '', 'a value is expected at line 1, column 1, where the text ends'],
    ['an open string', '{"a":\n"b', 'a string without a closing quotation mark at line 2, column 1'],
    ['a line break in a string', '{"a": "b\nc"}', 'a string without a closing quotation mark at line 1, column 7'],
    ['a comment', '{\n// secret\n"a": 1}', 'a comment (JSON has none) at line 2, column 1'],
    ['NaN', '{"a": NaN}', 'unexpected characters at line 1, column 7'],
    ['more than one value', '{} {}', 'the end is expected at line 1, column 4'],
    ['a bad escape', '{"a": "\\x"}', 'a malformed escape in a string at line 1, column 7'],
    ['a repeated name', '{"a": 1,\n "a": 2}', 'the member at line 2, column 2 has the name of an earlier one'],
    ['depth 33', '['.repeat(33), 'objects and lists are nested more than 32 deep at line 1, column 33'],
    ['a byte order mark', '\ufeff{}', 'it begins with a byte order mark, which has to be left out'],
    ['bytes that are not UTF-8', Buffer.from([0xc3, 0x28]), 'its bytes are not UTF-8'],
    ['a lone surrogate', '"\\ud800"', 'a string has half of a surrogate pair'],
  ])('says what is wrong and where: %s', (_, json, explanation) => {
    expect(explanationOf(json)).toBe(explanation);
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
