import { eventually } from '../event-store/accounts';
import { answered, type Json, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { membershipVct } from '../support/presenters/credentials';
import { degree, idCard, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { newHolder } from '../support/wallets/key-proofs';
import { receive } from '../support/wallets/wallet';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const formats = [
  { format: 'dc+sd-jwt', content: { vct: membershipVct }, query: idCard },
  { format: 'jwt_vc_json', content: { format: 'jwt_vc_json', vct: undefined }, query: degree },
] as const;

// The address of the service is a private one, which it would not fetch a list from.
describe.each(formats)('a revocable credential of this service ($format)', ({ content, query }) => {
  it('is verified while it is valid, and rejected by name while it is suspended and once it is revoked', async () => {
    const template = await publishedTemplate(service.url, { ...content, revocable: true });
    const offer = await prepareOffer(service.url, [template]);
    const holder = newHolder('ES256', 'did:jwk');
    const [credential = ''] = await receive(offer.link, 'F', { holders: [holder] });
    const present = async (): Promise<Json> => {
      const asked = await ask(service.url, { dcql_query: { credentials: [query] } });
      const received = await receiveRequest(asked);
      const tokens = tokensFor({ holder, sdJwt: credential, jwtVc: credential }, received, [query.id]);
      await respond(received, { tokens });
      return resultOf(asked);
    };
    const isAccepted = async () => (await present())['status'] === 'verified';
    const change = async (what: string) => {
      const url = `${service.url}/v0/credentials/${offer.credentialIds[0] ?? ''}/${what}`;
      answered(204, await postJson(url, {}));
    };

    expect(await present()).toMatchObject({ status: 'verified', credentials: [{ status: 'valid' }] });
    await change('suspend');
    await eventually(async () => !(await isAccepted()));
    const failure = { check: 'status', reason: 'the credential is suspended', status: 'suspended' };
    expect(await present()).toMatchObject({ status: 'rejected', credentials: [], failure });
    await change('reinstate');
    await eventually(isAccepted);
    await change('revoke');
    await eventually(async () => !(await isAccepted()));
    const revoked = { check: 'status', reason: 'the credential has been revoked', status: 'revoked' };
    expect(await present()).toMatchObject({ status: 'rejected', credentials: [], failure: revoked });
  });
});
