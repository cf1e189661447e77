import { bodyLimitOf, limitedServer } from './limits';

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

describe('a server', () => {
  it('has an end for everything that Node leaves open or long', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections } = limitedServer(() => null, 7);
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 65_000,
      keepAliveTimeout: 65_000,
      timeout: 120_000,
      maxConnections: 7,
    });
  });
});
