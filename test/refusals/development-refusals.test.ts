import { Logger } from '@nestjs/common';
import { answered, type Json, postForm, postJson, send } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { prepareOffer } from '../support/portal/portal';
import { openSession, preAuthorizedGrant, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();
beforeAll(async () => {
  const schema = { type: 'object', properties: { degree: { type: 'string' } }, required: ['degree'] };
  const template = { templateId: 'diploma', title: 'Diploma', format: 'dc+sd-jwt', schema, status: 'Published' };
  answered(201, await postJson(`${service.url}/v0/templates`, template));
  const changed = { schema: { ...schema, properties: { degree: { type: 'string', maxLength: 10 } } } };
  const init = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(changed) };
  answered(200, await send(`${service.url}/v0/templates/diploma`, init));
});

const wrong = { offerId: 'one', templateId: 'diploma', credential: { credentialSubject: { degree: 1 } } };
const decided = { template: 'diploma', configuration: 'diploma', schemaVersion: 2 };

describe('a refusal in development', () => {
  it('names the template, configuration, schema version and check that failed', async () => {
    const { status, json } = await postJson(`${service.url}/v0/credentials`, wrong);
    expect(status).toBe(422);
    expect(json['debug']).toEqual({ ...decided, check: expect.any(Array) as unknown });
    const { check } = json['debug'] as { check: string[] };
    expect(check[0]).toMatch(
      /^PrepareCredentialHandler\.\w+ \(libs\/issuance\/src\/management\/credentials\.handlers\)$/,
    );
  });

  it('names them for each item of a batch', async () => {
    const good = { ...wrong, offerId: 'two', credential: { credentialSubject: { degree: 'MSc' } } };
    const reply = await postJson(`${service.url}/v0/credentials/batch`, { credentials: [good, wrong] });
    const [first, second] = answered(200, reply)['items'] as Json[];
    expect(first).toMatchObject({ status: 201 });
    expect(second).toMatchObject({ status: 422, problem: { debug: decided } });
  });

  it.each([
    ['an unknown template', 'POST', '/v0/templates/none/publish', { template: 'none' }],
    ['a template that is in another state', 'POST', '/v0/templates/diploma/publish', { template: 'diploma' }],
    ['an unknown offer', 'GET', '/v0/offers/none', {}],
    ['an unknown path', 'GET', '/v0/none', {}],
  ])('names the check at %s', async (_what, method, path, about) => {
    const { status, json } = await send(service.url + path, { method });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(json['debug']).toMatchObject({ ...about, check: expect.any(Array) as unknown });
  });

  it('of a wallet is logged with its reason', async () => {
    const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation();
    const form: [string, string][] = [
      ['grant_type', preAuthorizedGrant],
      ['pre-authorized_code', 'a-guess'],
    ];
    const { json } = await postForm(`${service.url}/openid4vci/token`, form);
    const session = await openSession((await prepareOffer(service.url)).link);
    await requestCredential(session, { proof: { claims: { aud: 'https://other.example' } } });
    const lines = debug.mock.calls as unknown[][];
    debug.mockRestore();
    expect(Object.keys(json)).toEqual(['error', 'error_description']);
    expect(lines.flat()).toContainEqual({
      event: 'wallet.refused',
      error: 'invalid_grant',
      reason: 'unknown-code',
      words: 'The pre-authorized code is unknown, expired or used.',
      status: 400,
      check: expect.stringContaining('libs/authorization/src/grants/pre-authorized-code') as unknown,
    });
    expect(lines.flat()).toContainEqual(
      expect.objectContaining({ event: 'wallet.refused', error: 'invalid_proof', reason: 'wrong-audience' }),
    );
  });
});
