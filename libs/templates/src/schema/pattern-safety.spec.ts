import { patternVerdicts } from './pattern-safety';

describe('a regular expression', () => {
  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '\\s+$',
    '(\\w+\\s?)*$',
    '^(x{1,50}){1,50}$',
    '^(a|aa){30}$',
    '^(.*)=(.*)$',
    '^((a{0,9}){0,9}){0,9}$',
    '^((a{1,9}){1,9}){1,9}$',
    '^(a?){9}(a?){9}(a?){9}$',
  ])('that may take very long is detected: %s', async (pattern) => {
    expect((await patternVerdicts([pattern])).get(pattern)).toBe('vulnerable');
  });

  it('of every day is safe', async () => {
    const patterns = [
      '^[a-z]+$',
      '^\\d{4}-\\d{2}-\\d{2}$',
      '^.{1,255}$',
      "^[\\p{L}\\p{M}' -]{1,100}$",
      '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$',
      '^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$',
      '^urn:[0-9a-f]{8}-[0-9a-f]{12}$',
      '^https?://.+$',
      '^(foo|bar)*$',
      '^(?!0{5})\\d{5}$',
      '^(\\d{1,3}\\.){3}\\d{1,3}$',
      '^(\\+\\d{1,3}[- ]?)?(\\d{1,4}[- ]?){2,5}$',
      '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$',
    ];
    const verdicts = await patternVerdicts(patterns);
    expect(patterns.filter((pattern) => verdicts.get(pattern) !== 'safe')).toEqual([]);
  });

  it('leaves the other work alone while it is looked at', async () => {
    let longest = 0;
    let last = performance.now();
    const clock = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5).unref();
    await patternVerdicts(['^([a-z]+,)*[a-f]+,[0-9]{1,30}$', '^(b+)+$']);
    clearInterval(clock);
    expect(longest).toBeLessThan(200);
  });
});
