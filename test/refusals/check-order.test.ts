import { randomUUID } from 'node:crypto';
import { foreignJwtVc, foreignSdJwt } from '../support/presenters/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, type Json, postJson } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { storedRows } from '../support/database/stored-rows';

let service: RunningService;
let published: string;
let draft: string;
const taken = randomUUID();
beforeAll(async () => {
  service = await startService();
  const schema = { type: 'object', required: ['given_name'] };
  published = await publishedTemplate(service.url, { schema, expiration: 'P30D' });
  const body = { title: 'Draft', format: 'dc+sd-jwt', schema };
  draft = String(answered(201, await postJson(`${service.url}/v0/templates`, body))['templateId']);
  answered(201, await prepare({ ...right(), credentialId: taken }));
});
afterAll(() => service.stop());

const right = (): Json => ({
  offerId: randomUUID(),
  templateId: published,
  credential: { credentialSubject: { given_name: 'Erika' } },
});
const prepare = (body: Json) => postJson(`${service.url}/v0/credentials`, body);
const issuer = newHolder('ES256', 'did:jwk');
const sdJwt = foreignSdJwt(issuer, issuer);
const w3c = foreignJwtVc(issuer, issuer);
const forged = foreignSdJwt(issuer, issuer, { signer: newHolder() });

/** A body with every fault is corrected step by step; each step uncovers the next check. */
async function uncover(faulty: Json, steps: readonly (readonly [slug: string, correction: () => Json])[]) {
  let body = faulty;
  for (const [slug, correction] of steps) {
    const before = await storedRows(service);
    const reply = await prepare(body);
    expectProblem(reply, Number(reply.json['status']), slug);
    expect(await storedRows(service)).toEqual(before);
    body = { ...body, ...correction() };
  }
  answered(201, await prepare(body));
}

describe('a credential is checked in the documented order', () => {
  it('when it is unsigned', async () => {
    const wrong = { id: 'no uri', credentialSubject: [] };
    await uncover(
      { offerId: randomUUID(), isSigned: true, credential: wrong, expiresAt: 'soon', credentialId: taken },
      [
        ['invalid-credential-type', () => ({ isSigned: false })],
        ['missing-template-id', () => ({ templateId: 'other', credentialConfigurationId: quickStart })],
        ['template-not-found', () => ({ templateId: draft })],
        ['template-not-published', () => ({ templateId: published })],
        ['no-credential-configuration-found', () => ({ credentialConfigurationId: published })],
        ['invalid-identifier', () => ({ credential: { ...wrong, id: 'urn:uuid:1' } })],
        ['invalid-credential-payload', () => ({ credential: { credentialSubject: { name: 'Erika' } } })],
        ['credential-schema-validation-failed', () => ({ credential: { credentialSubject: { given_name: 'Erika' } } })],
        ['invalid-expiration-date', () => ({ expiresAt: 'never' })],
        ['expiration-exceeds-template-limit', () => ({ expiresAt: undefined })],
        ['conflict', () => ({ credentialId: undefined })],
      ],
    );
  });

  it('when it was signed elsewhere', async () => {
    await uncover({ offerId: randomUUID(), isSigned: false, credential: 'hello', expiresAt: 'soon' }, [
      ['invalid-credential-type', () => ({ isSigned: true })],
      ['missing-template-id', () => ({ templateId: 'other', credentialConfigurationId: quickStart })],
      ['template-not-found', () => ({ templateId: draft })],
      ['template-not-published', () => ({ templateId: published })],
      ['no-credential-configuration-found', () => ({ credentialConfigurationId: published })],
      ['invalid-signed-credential-format', () => ({ credential: w3c })],
      ['signed-credential-format-mismatch', () => ({ credential: forged })],
      ['invalid-signed-credential-format', () => ({ credential: sdJwt })],
      ['invalid-expiration-date', () => ({ expiresAt: undefined })],
    ]);
  });

  it('after the form of the body', async () => {
    expectProblem(await prepare({ isSigned: true, credential: {}, colour: 'red' }), 400, 'validation-failed');
  });
});
