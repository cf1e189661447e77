import { DidResolver, type FetchForVerifier, IssuerKeys, StatusChecker } from '@app/credentials';
import type { JsonValue } from '@app/primitives/json';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../event-store/accounts';
import { answered, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { foreignSdJwt, membershipVct } from '../support/presenters/credentials';
import { degree, idCard, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { readJwt } from '../support/wallets/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { receive } from '../support/wallets/wallet';

const service = serviceOfFile();

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

describe('the lists of this service', () => {
  it('say the same to another verifier of our own, by either mechanism', async () => {
    const template = await publishedTemplate(service.url, { format: 'jwt_vc_json', vct: undefined, revocable: true });
    const { link, credentialIds } = await prepareOffer(service.url, [template]);
    const [credential = ''] = await receive(link);
    const { payload } = readJwt(credential);
    const { credentialStatus } = payload['vc'] as { credentialStatus: JsonValue };
    const issuer = String(payload['iss']);
    const now = new Date();
    const statuses = (): Promise<unknown[]> => {
      const checker = newChecker();
      const claims = [{ status: payload['status'] as JsonValue }, { credentialStatus }];
      return Promise.all(
        claims.map((claim) =>
          checker.check({ types: [], ...claim }, issuer, now).catch((error: unknown) => (error as Error).message),
        ),
      );
    };
    expect(await statuses()).toEqual([{ status: 'valid' }, { status: 'valid' }]);
    for (const [what, reason] of [
      ['suspend', 'the credential is suspended'],
      ['revoke', 'the credential has been revoked'],
    ] as const) {
      answered(204, await postJson(`${service.url}/v0/credentials/${credentialIds[0] ?? ''}/${what}`, {}));
      await eventually(async () => isDeepStrictEqual(await statuses(), [reason, reason]));
    }
  });

  it('say nothing about credentials of other issuers that refer to them', async () => {
    const template = await publishedTemplate(service.url, { vct: membershipVct, revocable: true });
    const [own = ''] = await receive((await prepareOffer(service.url, [template])).link);
    const { status } = readJwt(own.split('~')[0] ?? '').payload;
    const [issuer, holder] = [newHolder('ES256', 'did:jwk'), newHolder('ES256', 'did:jwk')];
    const sdJwt = foreignSdJwt(issuer, holder, { payload: { status } });
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    await respond(received, { tokens: tokensFor({ holder, sdJwt, jwtVc: '' }, received, ['id_card']) });
    expect(await resultOf(asked)).toMatchObject({ credentials: [{ status: 'undetermined' }] });
  });

  function newChecker(): StatusChecker {
    const fetchDocument: FetchForVerifier = async (url, accept) => {
      const reply = await send(url, { headers: { accept: accept.join() } });
      return { body: Buffer.from(reply.text), contentType: reply.headers.get('content-type') ?? '' };
    };
    const dids = new DidResolver({ fetchDocument: () => Promise.reject(new Error('did:jwk needs no document')) });
    const issuerKeys = new IssuerKeys({ fetchDocument, dids });
    return new StatusChecker({ fetchDocument, issuerKeys, algorithms: ['ES256'], undetermined: 'reject' });
  }
});
