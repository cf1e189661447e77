import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { storedEvents } from '../support/database/stored-rows';
import { credentialsOf, nonceFrom, openSession, requestCredential, requestClasses } from '../support/wallets/wallet';

const service = serviceOfFile();

/** How often the issue of a credential was recorded. */
async function issuesOf(credentialId: string | undefined): Promise<number> {
  const types = await storedEvents(service, `credential-${credentialId ?? ''}`);
  return types.filter((type) => type === 'CredentialIssued').length;
}

describe.each(requestClasses)('a wallet (%s) whose answer was lost', (generation) => {
  it('gets its credential by repeating the request with the same keys, and the issuance is recorded once', async () => {
    const { link, credentialIds } = await prepareOffer(service.url);
    const session = await openSession(link, generation);
    const holders = [newHolder()];
    for (let times = 0; times < 3; times++) {
      const nonce = await nonceFrom(session.offer.issuer);
      const answer = answered(200, await requestCredential(session, { holders, nonce }));
      expect(credentialsOf(answer)).toHaveLength(1);
    }
    expect(await issuesOf(credentialIds[0])).toBe(1);
    // Its claims are read from its first event from then on.
    const shown = answered(200, await get(`${service.url}/v0/credentials/${credentialIds[0] ?? ''}`));
    expect(shown).toMatchObject({ status: 'Issued', credential: { credentialSubject: expect.any(Object) as unknown } });
  });

  it('gets nothing for other keys', async () => {
    const { link, offerId } = await prepareOffer(service.url);
    const session = await openSession(link, generation);
    const holders = [newHolder()];
    answered(200, await requestCredential(session, { holders }));
    for (let times = 0; times < 2; times++) {
      const nonce = await nonceFrom(session.offer.issuer);
      const refused = await requestCredential(session, { nonce });
      expectRefusal(refused, 400, 'credential_request_denied');
      expect(refused.json['error_description']).toContain('same keys');
    }
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    const denials = (timeline as Json[]).filter(({ step }) => step === 'credential denied');
    expect(denials).toMatchObject([{ outcome: 'refused', detail: expect.stringContaining('keys other than those') }]);
    answered(200, await requestCredential(session, { holders, nonce: await nonceFrom(session.offer.issuer) }));
  });
});

describe('an access token', () => {
  it('gets a batch of credentials for the keys of its first request, in any order, and no more', async () => {
    const { link, credentialIds } = await prepareOffer(service.url);
    const session = await openSession(link);
    const holders = Array.from({ length: 10 }, () => newHolder());
    const [first] = holders;
    if (!first) throw new Error('no holders');
    for (const keys of [holders, holders.toReversed()]) {
      expect(credentialsOf(answered(200, await requestCredential(session, { holders: keys })))).toHaveLength(10);
    }
    for (const keys of [[first], [newHolder()], [...holders.slice(1), newHolder()]]) {
      expectRefusal(await requestCredential(session, { holders: keys }), 400, 'credential_request_denied');
    }
    expect(await issuesOf(credentialIds[0])).toBe(1);
  });

  it('gets each credential of its offer for keys of that credential alone', async () => {
    const ids = [quickStart, await publishedTemplate(service.url)] as const;
    const session = await openSession((await prepareOffer(service.url, ids)).link);
    for (const configurationId of ids) {
      const holders = [newHolder()];
      answered(200, await requestCredential(session, { configurationId, holders }));
      answered(200, await requestCredential(session, { configurationId, holders }));
      expectRefusal(await requestCredential(session, { configurationId }), 400, 'credential_request_denied');
    }
  });

  it('is rejected for a used nonce rather than for other keys', async () => {
    const session = await openSession((await prepareOffer(service.url)).link);
    const nonce = await nonceFrom(session.offer.issuer);
    answered(200, await requestCredential(session, { nonce }));
    expectRefusal(await requestCredential(session, { nonce }), 400, 'invalid_nonce');
  });
});
