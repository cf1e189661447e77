import type { Settings } from '@app/config';
import type { Repository, SqlExecutor } from '@app/event-store';
import type { WalletUrls } from '@app/openid4vc';
import { Tenants } from '@app/primitives/context';
import type { IssuableConfiguration } from './credential-configuration';
import { CredentialConfigurations } from './credential-configurations';
import type { Template, TemplateEvent } from '../template/template';

function service() {
  const stored = new Map<string, { state: object; version: number; updatedAt: Date }>();
  const put = (templateId: string, version: number, change: object = {}, at = version) =>
    stored.set(templateId, {
      state: {
        status: 'Published',
        ...{ templateId, contentVersion: version, typeVersion: 1, listed: false },
        content: { format: 'dc+sd-jwt', signingAlgorithm: 'ES256', expiration: { kind: 'never' } },
        ...change,
      },
      version,
      updatedAt: new Date(at),
    });
  const templates = { load: (id: string) => Promise.resolve(stored.get(id) ?? { version: 0 }) };
  const configurations = new CredentialConfigurations(
    new Map([['file', { id: 'file' } as unknown as IssuableConfiguration]]),
    { vct: (id: string) => `https://issuer.example/vct/${id}` } as unknown as WalletUrls,
    templates as unknown as Repository<Template, TemplateEvent>,
    { issuer: { sdJwtIdentifier: 'did' } } as unknown as Settings,
    {} as unknown as SqlExecutor,
    new Tenants(),
  );
  return { configurations, put, stored };
}

describe('the configuration of a template', () => {
  it('is built once for each version', async () => {
    const { configurations, put } = service();
    put('card', 1);
    const first = await configurations.find('card');
    expect(first).toBeDefined();
    expect(await configurations.find('card')).toBe(first);
    put('card', 2);
    const second = await configurations.find('card');
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ contentVersion: 2 });
    // A database that was restored: the version is the same, the time is another.
    put('card', 2, {}, 7);
    expect(await configurations.find('card')).not.toBe(second);
  });

  it('keeps its state: what is archived or deleted is not issuable, however often it was', async () => {
    const { configurations, put, stored } = service();
    put('card', 1);
    await configurations.find('card');
    put('card', 2, { status: 'Archived' });
    expect(await configurations.findPromised('card')).toMatchObject({ status: 'archived' });
    expect(await configurations.find('card')).toBeUndefined();
    put('card', 3, { status: 'Deleted' });
    expect(await configurations.findPromised('card')).toEqual({ status: 'deleted' });
    stored.clear();
    expect(await configurations.findPromised('card')).toEqual({ status: 'removed' });
    expect(await configurations.findPromised('file')).toMatchObject({ status: 'issuable' });
  });

  it('is kept of 200 templates, and not of a large one', async () => {
    const { configurations, put } = service();
    for (let i = 0; i <= 200; i++) put(`t${i}`, 1);
    const first = await configurations.find('t0');
    const second = await configurations.find('t1');
    for (let i = 2; i <= 200; i++) await configurations.find(`t${i}`);
    expect(await configurations.find('t1')).toBe(second);
    expect(await configurations.find('t0')).not.toBe(first);
    put('large', 1, {
      content: { format: 'dc+sd-jwt', expiration: { kind: 'never' }, vct: `urn:${'x'.repeat(70_000)}` },
    });
    expect(await configurations.find('large')).not.toBe(await configurations.find('large'));
  });
});
