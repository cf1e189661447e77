import { ConfigurationsOfScope } from '@app/templates';
import { QueryBus } from '@nestjs/cqrs';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { readMetadata } from '../support/wallets/wallet';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const template = { title: 'Student card', format: 'dc+sd-jwt', schema: { type: 'object' } };
async function created(changes: Json = {}): Promise<string> {
  return String(
    answered(201, await postJson(`${service.url}/v0/templates`, { ...template, ...changes }))['templateId'],
  );
}

describe('the scope of a template', () => {
  const scopeOf = async (id: string) => {
    const metadata = await readMetadata(`${service.url}/openid4vci`, 'final');
    return (metadata['credential_configurations_supported'] as Record<string, Json>)[id]?.['scope'];
  };
  const ofScopes = (...scopes: string[]) => service.app.get(QueryBus).execute(new ConfigurationsOfScope(scopes));

  it('is its id until another is given; templates of one scope are found together while they are published', async () => {
    const [own, one, other, draft] = [
      await created({ status: 'Published' }),
      await created({ status: 'Published', scope: 'student' }),
      await created({ status: 'Published', scope: 'student', format: 'jwt_vc_json' }),
      await created({ scope: 'student' }),
    ];
    expect([await scopeOf(own), await scopeOf(one), await scopeOf(draft)]).toEqual([own, 'student', undefined]);
    expect((await get(`${service.url}/v0/credential_configurations/${one}`)).json).toMatchObject({ scope: 'student' });
    expect([...(await ofScopes('student', own, 'unknown', 'student'))].sort()).toEqual([own, one, other].sort());
    expect(await ofScopes('unknown', draft)).toEqual([]);
    answered(
      200,
      await send(`${service.url}/v0/templates/${one}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ scope: null }),
      }),
    );
    expect([await scopeOf(one), await ofScopes('student')]).toEqual([one, [other]]);
  });

  it.each(['two words', '', 'a"b', 'a\\b', 'ü', 'x'.repeat(129)])('%j is refused', async (scope) => {
    const reply = await postJson(`${service.url}/v0/templates`, { ...template, scope });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer: '/scope' }]);
  });
});
