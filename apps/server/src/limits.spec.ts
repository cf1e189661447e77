import { bodyLimitOf } from './limits';

describe('the body of a request', () => {
  it.each([
    ['/v0/credentials', 256 * 1024, 30],
    ['/v0/credentials/batch', 8 * 1024 * 1024, 60],
    ['/openid4vci/credential', 64 * 1024, 30],
    ['/openid4vp/1.0/x/response', 2 * 1024 * 1024, 30],
    ['/nowhere', 64 * 1024, 30],
  ])('to %s has its limits', (path, bytes, seconds) => {
    expect(bodyLimitOf(path)).toMatchObject({ bytes, seconds });
  });
});
