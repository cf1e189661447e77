import { randomUUID } from 'node:crypto';
import { storedRows } from '../support/database/stored-rows';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { collect, deferredOffer, submit } from '../support/wallets/deferred';
import { contentOf } from '../support/wallets/credentials';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();

async function found(reference: string, url = service.url): Promise<unknown[]> {
  const { items } = answered(200, await postJson(`${url}/v0/searches`, { reference }));
  return (items as Json[]).map(({ credentialId }) => credentialId);
}

/** A credential under a reference. */
async function submitted(reference: string, url = service.url) {
  const { credentialIds, link } = await prepareOffer(url, [quickStart], {}, { reference });
  return { credentialId: credentialIds[0] ?? '', link };
}

describe('a reference of the portal', () => {
  it('finds all credentials that have it, the newest first, however it is written', async () => {
    const [first, second] = [await submitted('Akte 2026/Ä-17'), await submitted('akte  2026/ä-17 ')];
    await submitted('Akte 2026/Ä-1');
    for (const written of ['Akte 2026/Ä-17', 'AKTE 2026/ä-17', 'Akte\u00a02026/A\u0308-17']) {
      expect(await found(written)).toEqual([second.credentialId, first.credentialId]);
    }
    expect(await found('Akte 2026/Ä-170')).toEqual([]);
    expect(await found('Akte')).toEqual([]);
  });

  it('is shown with the credential and is not in what the wallet gets', async () => {
    const { credentialId, link } = await submitted('Matrikel 815-4711');
    const view = answered(200, await get(`${service.url}/v0/credentials/${credentialId}`));
    expect(view['reference']).toBe('Matrikel 815-4711');
    const [credential = ''] = await receive(link, 'F');
    expect(JSON.stringify(contentOf(credential))).not.toContain('815-4711');
    expect(await found('matrikel 815-4711')).toEqual([credentialId]);
  });

  it('goes with a batch, and with data for which a wallet waits', async () => {
    const offerId = randomUUID();
    const data = { credentialConfigurationId: quickStart, credential: { credentialSubject: {} } };
    const batch = { credentials: [{ offerId, ...data, reference: 'batch 1' }] };
    answered(200, await postJson(`${service.url}/v0/credentials/batch`, batch));
    expect(await found('batch 1')).toHaveLength(1);

    const templateId = await publishedTemplate(service.url);
    const deferred = await deferredOffer(service.url, [templateId]);
    const session = await openSession(deferred.link, 'F');
    const { transaction_id } = answered(202, await requestCredential(session));
    answered(
      201,
      await submit(service.url, {
        offerId: deferred.offerId,
        templateId,
        credential: { credentialSubject: {} },
        reference: 'awaited 1',
      }),
    );
    expect(await found('awaited 1')).toHaveLength(1);
    answered(200, await collect(session, transaction_id));
  });

  it('finds nothing once the data is erased, and is stored nowhere in the clear', async () => {
    const reference = 'Aktenzeichen-Zwergspitzmaus-9';
    const { credentialId } = await submitted(reference);
    const rows = JSON.stringify(await storedRows(service));
    for (const written of [reference, reference.toLowerCase()]) expect(rows).not.toContain(written);
    expect(await found(reference)).toEqual([credentialId]);
    const personalData = `${service.url}/v0/credentials/${credentialId}/personal_data`;
    expect((await send(personalData, { method: 'DELETE' })).status).toBe(204);
    expect(await found(reference)).toEqual([]);
    expect(answered(200, await get(`${service.url}/v0/credentials/${credentialId}`))).not.toHaveProperty('reference');
  });

  it('is that of one tenant alone', async () => {
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: 'town-a', displayName: 'Town A' }));
    const ofTenant = `${service.url}/t/town-a`;
    const templateId = await publishedTemplate(ofTenant);
    const { credentialIds } = await prepareOffer(ofTenant, [templateId], {}, { reference: 'shared 1' });
    const { credentialId } = await submitted('shared 1');
    expect(await found('shared 1')).toEqual([credentialId]);
    expect(await found('shared 1', ofTenant)).toEqual(credentialIds);
  });

  it.each(['', ' ', 'two\nlines', 'x'.repeat(101)])('is refused when it is %j', async (reference) => {
    const offer = {
      offerId: randomUUID(),
      credentialConfigurationId: quickStart,
      credential: { credentialSubject: {} },
    };
    expectProblem(await postJson(`${service.url}/v0/credentials`, { ...offer, reference }), 400, 'validation-failed');
    expectProblem(await postJson(`${service.url}/v0/searches`, { reference }), 400, 'validation-failed');
  });
});
