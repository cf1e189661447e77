import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { inSeconds, presentSdJwt, type SdJwtChanges } from '../support/presenters/credentials';
import { expectCheckFailed } from '../support/presenters/refusals';
import { bindingRefusals } from '../support/presenters/sd-jwt-binding-rows';
import { canary, holder, issuedSdJwt, sdJwtQuery } from '../support/presenters/sd-jwt-cases';
import { credentialRefusals } from '../support/presenters/sd-jwt-credential-rows';
import { answered, type Json } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const refusals = [...credentialRefusals, ...bindingRefusals];

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

describe('a presented SD-JWT VC is refused', () => {
  it.each(refusals)('$what → $check', async ({ check, variant = '1.0', query: changed, token }) => {
    const dcqlQuery = { credentials: [{ ...sdJwtQuery, ...changed }] };
    const asked = await ask(service.url, { dcql_query: dcqlQuery });
    const received = await receiveRequest(asked, variant);
    const reply = await respond(received, { tokens: { id_card: token(received) } });
    const valid = () => ({ tokens: { id_card: presentSdJwt(issuedSdJwt(), holder, received) } });
    await expectCheckFailed(asked, received, reply, { check, credentialId: 'id_card' }, valid, canary);
  });

  it('a presentation of several megabytes, before it is read', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [sdJwtQuery] } });
    const received = await receiveRequest(asked);
    const huge = presentSdJwt(issuedSdJwt({ claims: { given_name: 'x'.repeat(5_000_000) } }), holder, received);
    expect((await respond(received, { tokens: { id_card: huge } })).status).toBe(413);
    const large = presentSdJwt(issuedSdJwt({ claims: { given_name: 'x'.repeat(1_000_000) } }), holder, received);
    expect((await respond(received, { tokens: { id_card: large } })).status).toBe(400);
  });
});

describe('a presented SD-JWT VC is accepted', () => {
  it.each<[string, () => SdJwtChanges]>([
    [
      'with further members in cnf.jwk',
      () => ({ payload: { cnf: { jwk: { ...holder.jwk, kid: 'x', use: 'sig', alg: 'ES256' } } } }),
    ],
    ['of the typ before draft 6', () => ({ header: { typ: 'vc+sd-jwt' } })],
    ['that expired a few seconds ago', () => ({ payload: { exp: inSeconds(-5) } })],
    ['with claims named as object members', () => ({ claims: { given_name: canary, constructor: 'x', toString: 1 } })],
  ])('%s', async (_, changes) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [sdJwtQuery] } });
    const received = await receiveRequest(asked);
    const token = presentSdJwt(issuedSdJwt(changes()), holder, received);
    answered(200, await respond(received, { tokens: { id_card: token } }));
    expect(({} as Json)['polluted']).toBeUndefined();
  });
});
