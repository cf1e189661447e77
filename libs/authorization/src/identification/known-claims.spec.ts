import { isExpected, keptClaims } from './known-claims';

const claims = {
  sub: 'u-1',
  iss: 'https://login.example',
  auth_time: 1,
  email: 'erika@example.com',
  student_number: 4711,
  address: { country: 'DE' },
  'a/b': 'c',
  is_student: true,
};

describe('the claims of a person', () => {
  it('are kept as far as the credentials need them', () => {
    expect(keptClaims(claims, ['student_number', 'phone'])).toEqual({
      sub: 'u-1',
      iss: 'https://login.example',
      auth_time: 1,
      student_number: 4711,
    });
  });

  it.each([
    ['sub', 'u-1', true],
    ['sub', 'U-1', false],
    ['sub', 'u-1 ', false],
    ['student_number', '4711', true],
    ['student_number', '04711', false],
    ['/address/country', 'DE', true],
    ['/a~1b', 'c', true],
    ['address', '[object Object]', false],
    ['is_student', 'true', false],
    ['toString', 'function', false],
    ['/address/constructor', '', false],
    ['missing', 'undefined', false],
  ])('are those of the expected subject by %s = %j: %s', (claim, value, expected) => {
    expect(isExpected({ claim, value }, claims)).toBe(expected);
  });
});
