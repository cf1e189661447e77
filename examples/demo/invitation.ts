import { toString } from 'qrcode';
import { type Portal, text } from './portal';

/** Prepares an offer for a wallet on a phone and prints what to do with it. @param url of the service, from this machine */
export async function invite(portal: Portal, url: string): Promise<void> {
  const offer = await portal.post('/v0/credentials', {
    offerId: 'yours',
    credentialConfigurationId: 'w3c_vc_credential',
    credential: { credentialSubject: { given_name: 'Ada', family_name: 'Example', member: true } },
    expiresAt: 'never',
  });
  const link = text(offer, 'credentialOffer');
  const { page } = offer['links'] as { readonly page: string };
  const lines = [
    'The service stays up, and this offer waits for your wallet:',
    '',
    await toString(link, { type: 'terminal', small: true }),
    `  link           ${link}`,
    `  page           ${page}`,
    '',
    '  Scan it with a wallet on a phone in the same network, or in another terminal:',
    `    npm run wallet -- receive '${link}'`,
    '',
    '  What to do next:',
    `    see what became of it    curl ${url}/v0/offers/yours`,
    `    issue and ask by hand    ${url}/console`,
    `    try every operation      ${url}/docs`,
    '    write a portal           docs/portal-tutorial.md',
    '    keep what is stored      npm run start:dev',
    '',
    'Ctrl-C ends it and removes what it has stored.',
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
