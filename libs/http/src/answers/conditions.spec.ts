import { Problem } from '@app/primitives/problems';
import { assertConditions, entityTag, parseConditions, representationConditions } from './conditions';

function accepts(ifMatch: string | undefined, version: number, ifNoneMatch?: string): boolean {
  try {
    assertConditions(parseConditions(ifMatch, ifNoneMatch), version);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.slug === 'version-conflict') return false;
    throw error;
  }
}

describe('an If-Match header', () => {
  it.each([undefined, '*', ' * ', '"3"', '"2", "3"', '"2","3"', '"x", "3"', '"3-Ab_9"'])(
    '%s accepts version 3',
    (header) => {
      expect(accepts(header, 3)).toBe(true);
    },
  );

  it.each(['"2"', '"33"', 'W/"3"', '"x"', '""', '"03"', '"3.0"', '"1e0"'])('%s does not', (header) => {
    expect(accepts(header, 3)).toBe(false);
  });

  it.each(['', '3', '"3', '"3" "4"', 'W/3', '**'])('%j is none', (header) => {
    expect(() => parseConditions(header, undefined)).toThrow('validation-failed');
    expect(() => parseConditions(undefined, header)).toThrow('validation-failed');
  });

  it('accepts the entity tag of an answer', () => {
    expect(entityTag(12)).toBe('"12"');
    expect(accepts(entityTag(12), 12)).toBe(true);
  });
});

describe('an If-None-Match header', () => {
  it.each(['*', '"3"', 'W/"3"', '"2", "3"', '"3-Ab_9"'])('%s rules a change of version 3 out', (header) => {
    expect(accepts(undefined, 3, header)).toBe(false);
  });

  it.each([undefined, '"2"', '"33"', '"x"'])('%s does not', (header) => {
    expect(accepts(undefined, 3, header)).toBe(true);
  });
});

describe('the conditions of a GET', () => {
  const tag = entityTag(3, 'Expired');
  const isPresent = (ifNoneMatch?: string, ifMatch?: string) => representationConditions(ifMatch, ifNoneMatch)(tag);

  it('find the representation that the caller has, by a weak tag or not', () => {
    expect(isPresent(`"2", W/${tag}`)).toBe(true);
    expect(isPresent(`, ${tag},`)).toBe(true);
    expect(isPresent('*')).toBe(true);
    expect(isPresent(entityTag(3, 'Open'))).toBe(false);
    expect(isPresent()).toBe(false);
  });

  it('reject a representation that If-Match does not name', () => {
    expect(isPresent(undefined, `"2", ${tag}`)).toBe(false);
    expect(() => isPresent(undefined, '"3"')).toThrow('version-conflict');
    expect(() => isPresent(undefined, `W/${tag}`)).toThrow('version-conflict');
  });
});
