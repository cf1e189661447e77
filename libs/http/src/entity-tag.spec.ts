import { Problem } from '@app/problem-details';
import { assertVersion, entityTag, parseIfMatch } from './entity-tag';

function accepts(header: string | undefined, version: number): boolean {
  try {
    assertVersion(parseIfMatch(header), version);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.slug === 'version-conflict') return false;
    throw error;
  }
}

describe('an If-Match header', () => {
  it.each([undefined, '*', ' * ', '"3"', '"2", "3"', '"2","3"', '"x", "3"'])('%s accepts version 3', (header) => {
    expect(accepts(header, 3)).toBe(true);
  });

  it.each(['"2"', '"33"', 'W/"3"', '"x"', '""', '"03"', '"3.0"', '"1e0"'])('%s does not', (header) => {
    expect(accepts(header, 3)).toBe(false);
  });

  it.each(['', '3', '"3', '"3" "4"', '"3",', 'W/3', '**'])('%j is none', (header) => {
    expect(() => parseIfMatch(header)).toThrow('validation-failed');
  });

  it('accepts the entity tag of an answer', () => {
    expect(entityTag(12)).toBe('"12"');
    expect(accepts(entityTag(12), 12)).toBe(true);
  });
});
