import { DirectRoutes } from './direct-routes';

describe('direct routes', () => {
  const handlers = new Map<string, () => void>();
  const routesOf = (...paths: string[]): DirectRoutes => {
    const routes = new DirectRoutes();
    for (const path of paths) {
      const handler = (): void => undefined;
      handlers.set(path, handler);
      routes.add('GET', path, handler);
    }
    return routes;
  };
  const routes = routesOf('/jwks.json', '/v0/offers', '/v0/offers/:offerId', '/v0/offers/:offerId/qr');

  it('finds a fixed path, with a query or without', () => {
    const found = { path: '/v0/offers', handler: handlers.get('/v0/offers'), params: {} };
    expect(routes.find('GET', '/v0/offers')).toEqual(found);
    expect(routes.find('GET', '/v0/offers?limit=2')).toEqual(found);
  });

  it('finds a path that ends with a parameter', () => {
    expect(routes.find('GET', '/v0/offers/enrolment-7.a_b~c?x=/y')).toMatchObject({
      path: '/v0/offers/:offerId',
      params: { offerId: 'enrolment-7.a_b~c' },
    });
  });

  it('finds a path with parameters in the middle', () => {
    const found = routesOf('/openid4vp/:variant/:handle/request').find('GET', '/openid4vp/final/a-B_9/request');
    expect(found?.params).toEqual({ variant: 'final', handle: 'a-B_9' });
  });

  it.each([
    ['another method', 'POST', '/v0/offers'],
    ['another case', 'GET', '/V0/offers'],
    ['a slash at the end', 'GET', '/v0/offers/'],
    ['a doubled slash', 'GET', '//v0/offers'],
    ['a value that has to be decoded', 'GET', '/v0/offers/a%20b'],
    ['a parameter that is empty', 'GET', '/v0/offers//qr'],
    ['a segment too many', 'GET', '/v0/offers/7/qr/x'],
    ['a segment too few', 'GET', '/v0'],
    ['a backslash', 'GET', '/v0/offers/a\\b'],
    ['dots that are no part of the value', 'GET', '/v0/offers/../offers'],
    ['a name that every object has', 'GET', '/v0/constructor'],
  ])('leaves %s to the router', (_what, method, url) => {
    expect(routes.find(method, url)).toBeUndefined();
  });

  it('takes the first route of those that a path has', () => {
    const paths = ['/a/:id', '/a/list', '/b/:kind/c', '/b/x/:id', '/c/:one/:two', '/c/:one/two'];
    const shadowed = routesOf(...paths);
    expect(shadowed.find('GET', '/a/list')).toMatchObject({ path: '/a/:id', params: { id: 'list' } });
    expect(shadowed.find('GET', '/b/x/c')?.path).toBe('/b/:kind/c');
    expect(shadowed.find('GET', '/b/x/d')?.path).toBe('/b/x/:id');
    expect(shadowed.find('GET', '/c/1/two')?.path).toBe('/c/:one/:two');
  });

  it('leaves a path to the router that an earlier route of another kind could take', () => {
    const mixed = routesOf('/files', '/files/*rest', '/files/:name');
    expect(mixed.find('GET', '/files')?.path).toBe('/files');
    expect(mixed.find('GET', '/files/one')).toBeUndefined();
  });

  it('prefers the fixed path that comes first', () => {
    const ordered = routesOf('/a/list', '/a/:id', '/a/:id/:part');
    expect(ordered.find('GET', '/a/list')).toMatchObject({ path: '/a/list', params: {} });
    expect(ordered.find('GET', '/a/7')).toMatchObject({ path: '/a/:id', params: { id: '7' } });
    expect(ordered.find('GET', '/a/list/x')).toMatchObject({ path: '/a/:id/:part', params: { id: 'list', part: 'x' } });
  });
});
