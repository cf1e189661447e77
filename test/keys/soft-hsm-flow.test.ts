import { didJwk } from '@app/credentials';
import { KeyRing } from '@app/keys';
import { writeFile } from 'node:fs/promises';
import { describeWithSoftHsm } from '../support/counterparts/soft-token';
import { answered, get, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { startService } from '../support/service/service';
import { tokenStatus } from '../support/verifiers/status-readers';
import { readJwt } from '../support/wallets/credentials';
import { receive } from '../support/wallets/wallet';
import { eventually } from '../event-store/accounts';

const kidOf = (jwt: string): unknown => readJwt(jwt.split('~')[0] ?? '').header['kid'];

describeWithSoftHsm('a service whose keys are in a token', (hsm) => {
  it('does not start with a wrong PIN, and says in which file it is', async () => {
    const { settings } = await hsm.token();
    await writeFile(settings.pinFile, 'wrong-canary');
    const started = startService({
      SERVICE__SIGNER__HSM__TYPE: 'pkcs11',
      SERVICE__SIGNER__HSM__LIBRARY: settings.library,
      SERVICE__SIGNER__HSM__TOKEN_LABEL: settings.tokenLabel,
      SERVICE__SIGNER__HSM__PIN_FILE: settings.pinFile,
    });
    const error: unknown = await started.catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/SERVICE__SIGNER__HSM__PIN_FILE: .*write the PIN of the user.*it was tried once/);
    expect(String(error)).not.toContain('canary');
  });

  it('issues, lists statuses, asks and verifies by them', async () => {
    const { settings } = await hsm.token();
    const service = await startService({
      SERVICE__SIGNER__HSM__TYPE: 'pkcs11',
      SERVICE__SIGNER__HSM__LIBRARY: settings.library,
      SERVICE__SIGNER__HSM__TOKEN_LABEL: settings.tokenLabel,
      SERVICE__SIGNER__HSM__TOKEN_SERIAL: settings.tokenSerial,
      SERVICE__SIGNER__HSM__PIN_FILE: settings.pinFile,
      ...Object.fromEntries(
        ['CREDENTIALS', 'STATUS', 'REQUESTS', 'METADATA'].map((use) => [`SERVICE__SIGNER__FOR_${use}`, 'hsm']),
      ),
    });
    try {
      const ring = service.app.get(KeyRing);
      await ring.generate('hsm', 'ES256');
      const own = `${didJwk(ring.activeKey('ES256').publicJwk)}#0`;
      const holdings = await receiveHoldings(service.url, { given_name: 'Erika' });
      expect([holdings.sdJwt, holdings.jwtVc].map(kidOf)).toEqual([own, own]);

      const received = await receiveRequest(await ask(service.url, { dcql_query: { credentials: [idCard] } }));
      answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));

      const templateId = await publishedTemplate(service.url, { revocable: true });
      const { link, credentialIds } = await prepareOffer(service.url, [templateId]);
      const [revocable = ''] = await receive(link);
      expect(await tokenStatus(revocable)).toBe(0);
      const revoked = await postJson(`${service.url}/v0/credentials/${credentialIds[0] ?? ''}/revoke`, {});
      expect(revoked.status).toBe(204);
      await eventually(async () => (await tokenStatus(revocable)) === 1);

      await ring.provided.look();
      expect((await get(`${service.url}/readyz`)).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
