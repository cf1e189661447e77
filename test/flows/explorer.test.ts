import { get } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

describe('the explorer of the management API', () => {
  it('is a page that loads everything from this service, which its Content-Security-Policy enforces', async () => {
    const page = await get(`${service.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toHaveLength(3);
    for (const address of addresses) {
      const url = new URL(address, `${service.url}/docs`);
      expect(url.origin).toBe(service.url);
      const asset = await get(url.href);
      expect([asset.status, asset.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^text\/(css|javascript); charset=utf-8$/),
      ]);
      expect(asset.text.length).toBeGreaterThan(50);
    }
  });

  it('opens the document of this service', async () => {
    const { text } = await get(`${service.url}/docs/start.js`);
    const [, url = ''] = /url: '([^']+)'/.exec(text) ?? [];
    expect((await get(new URL(url, `${service.url}/docs`).href)).json['openapi']).toBe('3.1.0');
  });

  it.each(['package.json', 'index.js', '..%2Fpackage.json', '__proto__'])('has no file %s', async (name) => {
    expect((await get(`${service.url}/docs/${name}`)).status).toBe(404);
  });
});
