import { parseJsonPath, parsePathText, pathText, valuesAt } from './claim-path';

const claims = { address: { locality: 'Bergen' }, levels: ['silver', 'gold'], 'a b': 1 };

describe('a claim path', () => {
  it.each([
    [['address', 'locality'], ['Bergen']],
    [['levels', 1], ['gold']],
    [
      ['levels', null],
      ['silver', 'gold'],
    ],
    [['levels', 'gold'], []],
    [['address', 0], []],
    [['toString'], []],
    [['levels', 2], []],
  ])('%j leads to %j', (path, values) => {
    expect(valuesAt(claims, path)).toEqual(values);
  });

  it('is written with dots and brackets, and read back', () => {
    for (const path of [
      ['address', 'locality'],
      ['levels', 0, 'name'],
      ['levels', null],
    ]) {
      expect(parsePathText(pathText(path))).toEqual(path);
    }
    expect(pathText(['levels', 0, 'name'])).toBe('levels[0].name');
  });
});

describe('a JSONPath of a presentation definition', () => {
  it.each([
    ['$.vc.type', ['vc', 'type']],
    ["$['a b']", ['a b']],
    ['$["a b"].c', ['a b', 'c']],
    ['$.levels[*]', ['levels', null]],
    ['$.levels[1].name', ['levels', 1, 'name']],
    ['$', []],
  ])('%s is read as %j', (text, path) => {
    expect(parseJsonPath(text)).toEqual(path);
  });

  it.each(['vct', '$..vct', '$.a[?(@.b)]', '$.a[0:2]', '$[(@.length-1)]', '$.'])('%s is not followed', (text) => {
    expect(parseJsonPath(text)).toBeUndefined();
  });
});
