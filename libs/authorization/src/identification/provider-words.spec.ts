import { errorCodeOf, wordsOf } from './provider-words';

const secret = 'secret of the client';

describe('what a login provider says', () => {
  it.each([
    ['Invalid client or Invalid client credentials', 'Invalid client or Invalid client credentials'],
    ['Invalid parameter: redirect_uri', 'Invalid parameter: redirect_uri'],
    ['a\r\nlevel=error b\t\u0000c \u001b[31m\u202Ed\u2028e', 'a level=error b c [31m d e'],
    [`wrong secret: ${secret}`, 'wrong secret: …'],
    [`wrong secret: ${encodeURIComponent(secret)}`, 'wrong secret: …'],
    ['token eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1LTEifQ.sig is bad', 'token ….….sig is bad'],
    ['code 3f2b9c1e-8a7d-4c55-9d0e-6b1f2a3c4d5e used', 'code … used'],
    ['user erika@uni.example is locked', 'user … is locked'],
    ['unmet_authentication_requirements', 'unmet_authentication_requirements'],
    [`key ${'Ab1'.repeat(20)} unknown`, 'key … unknown'],
    ['x '.repeat(5_000), `${'x '.repeat(150)}…`],
    ['', undefined],
    ['\n\u0007', undefined],
    [undefined, undefined],
    [{ error: 'x' }, undefined],
  ])('is told in the log on one line, short and without secrets: %j', (text, words) => {
    expect(wordsOf(text, [secret, ''])).toBe(words);
  });

  it.each([
    ['invalid_client', 'invalid_client'],
    ['<html>', '<html>'],
    ['in"valid', undefined],
    ['a\nb', undefined],
    ['a'.repeat(65), undefined],
    [1, undefined],
    [secret, '…'],
  ])('is an error code of RFC 6749, or none: %j', (text, code) => {
    expect(errorCodeOf(text, [secret])).toBe(code);
  });
});
