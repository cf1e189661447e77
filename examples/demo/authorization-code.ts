import type { Wallet } from '../wallet';
import { agreeing } from './person';
import { type Portal, text } from './portal';
import { assertAccepted, receive } from './receiving';
import type { Steps } from './steps';

/**
 * What European wallets want when a credential is issued (HAIP 1.0): the wallet pushes what it asks for, the person logs in and
 * agrees on a page, the token is bound to a key of the wallet, and the credential is sent encrypted.
 */
export async function byAuthorizationCode(steps: Steps, portal: Portal, wallet: Wallet): Promise<void> {
  const offer = await steps.run('the portal opens an offer to one who logs in', () =>
    portal.post('/v0/offers', {
      offerId: '004',
      templateIds: ['diploma'],
      grants: ['authorization_code'],
      identification: 'development',
    }),
  );
  const credential = await steps.run('the portal submits the data', () =>
    portal.post('/v0/credentials', {
      offerId: '004',
      templateId: 'diploma',
      credential: { credentialSubject: { given_name: 'Ada', family_name: 'Example', degree: 'MSc Astronomy' } },
    }),
  );
  const person = agreeing('ada.example', (name, detail) => {
    steps.lap(`  person: ${name}`, detail);
  });
  await receive(steps, wallet, text(offer, 'credentialOffer'), { browser: person });
  await assertAccepted(steps, portal, text(credential, 'credentialId'));
  await steps.run(
    'the portal reads how it was authorized',
    async () => {
      const { items } = (await portal.get('/v0/authorizations?offerId=004')) as { items: Record<string, unknown>[] };
      const [authorization] = items;
      if (authorization?.['status'] !== 'redeemed')
        throw new Error(`the status is ${String(authorization?.['status'])}`);
      return portal.get(`/v0/authorizations/${text(authorization, 'authorizationId')}`);
    },
    ({ timeline }) => (timeline as { step: string }[]).map(({ step }) => step).join(', '),
  );
}
