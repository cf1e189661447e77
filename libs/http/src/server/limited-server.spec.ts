import { limitedServer } from './limited-server';

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
