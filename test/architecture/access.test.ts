import { SettingsModule } from '@app/config';
import { PublicEndpoint, RequiresScope } from '@app/http';
import { Controller, Get, type INestApplication, Module } from '@nestjs/common';
import { createHttpApplication } from '../../apps/server/src/http';
import { HttpModule } from '../../apps/server/src/http.module';
import { get } from '../support/http/requests';
import { servedRoutes, type ServedRoute } from '../support/service/routes';
import { freePort, type RunningService, startService } from '../support/service/service';

const undecided = (routes: readonly ServedRoute[]): string[] =>
  routes.filter(({ decision }) => decision === undefined).map(({ name }) => name);

describe('every route', () => {
  let service: RunningService;
  let routes: ServedRoute[];
  beforeAll(async () => {
    service = await startService();
    routes = servedRoutes(service.app);
  });
  afterAll(() => service.stop());

  it('has an access rule', () => {
    expect(routes.length).toBeGreaterThan(55);
    expect(undecided(routes)).toEqual([]);
  });

  it('of the management API requires a scope: to read, to change, to decide, or to deliver links', () => {
    // Who calls may ask who that is.
    const management = routes.filter(({ path }) => path.startsWith('/v0/') && !/^\/v0\/session(\/|$)/.test(path));
    expect(management.length).toBeGreaterThan(30);
    for (const { name, method, path, decision } of management) {
      const isLink = /\/(qr\.svg|qr\.png|page|send|letters?)$|(offers|imports).*deliveries/.test(path);
      // What is searched for is personal data, so it is in a body.
      const isRead = method === 'GET' || path === '/v0/searches';
      const isDecision = path.startsWith('/v0/approvals/');
      const direction = isLink ? 'deliver' : isRead ? 'read' : isDecision ? 'decide' : 'write';
      const scope = decision?.kind === 'scope' ? decision.scope : 'none';
      expect([name, scope]).toEqual([name, expect.stringMatching(new RegExp(`^[a-z]+:${direction}$`))]);
    }
  });

  it('outside of the management API is public', () => {
    const others = routes.filter(({ path }) => !path.startsWith('/v0/'));
    expect(others.filter(({ decision }) => decision?.kind !== 'public')).toEqual([]);
  });
});

// What the tests above must notice, and what happens when they do not.
describe('a handler without an access rule', () => {
  @Controller('planted')
  class Planted {
    @Get('forgotten')
    forgotten(): string {
      return 'reached';
    }

    @Get('open')
    @PublicEndpoint('everyone')
    open(): string {
      return 'reached';
    }
  }

  @Controller('planted/below')
  @RequiresScope('offers:read')
  class Below {
    @Get('own')
    @PublicEndpoint('everyone')
    own(): string {
      return 'reached';
    }
  }

  let app: INestApplication;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const environment = { SERVICE__PROFILE: 'development', SERVICE__APPLICATION_URL: url };
    @Module({ imports: [SettingsModule.forRoot(environment), HttpModule], controllers: [Planted, Below] })
    class Root {}
    app = await createHttpApplication(Root, false);
    app.getHttpAdapter().get('/planted/without-nest', (_request: unknown, response: { end(): void }) => {
      response.end();
    });
    await app.listen(port, '127.0.0.1');
  });
  afterAll(() => app.close());

  it('is detected, also when it bypasses the framework', () => {
    expect(undecided(servedRoutes(app))).toEqual(['GET /planted/forgotten', 'GET /planted/without-nest']);
  });

  it('rejects every call', async () => {
    const reply = await get(`${url}/planted/forgotten`);
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ type: `${url}/problems/forbidden`, title: 'Forbidden' });
    expect((await get(`${url}/planted/open`)).text).toBe('reached');
  });

  it('stops the start where its controller inherits it, as nothing would refuse its callers', async () => {
    class Above {
      @Get('inherited')
      inherited(): string {
        return 'reached';
      }
    }

    @Controller('planted/inheriting')
    class Inheriting extends Above {}

    const environment = { SERVICE__PROFILE: 'development' };
    @Module({ imports: [SettingsModule.forRoot(environment), HttpModule], controllers: [Inheriting] })
    class Root {}
    await expect(createHttpApplication(Root, false)).rejects.toThrow('GET /planted/inheriting/inherited');
  });

  it('is not one whose method has another access rule than its class', async () => {
    expect((await get(`${url}/planted/below/own`)).text).toBe('reached');
  });
});
