import fc from 'fast-check';
import { contrast, paper, readableOn, textOn } from './colours';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
  ])('of %s and %s is %d', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2);
    expect(contrast(other, one)).toBe(contrast(one, other));
  });
});

describe('a colour of the operator', () => {
  it('can be read on the light and on the dark page, whatever it is', () => {
    fc.assert(
      fc.property(colour, (any) => {
        for (const background of Object.values(paper)) {
          expect(contrast(readableOn(background, any), background)).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });

  it('stays as it is where it can be read already', () => {
    expect(readableOn(paper.light, '#12107c')).toBe('#12107c');
    expect(readableOn(paper.dark, '#9db8ff')).toBe('#9db8ff');
  });

  it('is the background of text that can be read', () => {
    fc.assert(
      fc.property(colour, colour, (background, text) => {
        expect(contrast(textOn(background, text), background)).toBeGreaterThanOrEqual(4.5);
      }),
    );
    expect(textOn('#12107c', '#ffff00')).toBe('#ffff00');
  });
});
