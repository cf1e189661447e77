import { libraryCard } from './library-card';
import { Portal } from './portal';

const url = process.env['SEALWRIGHT_URL'] ?? 'http://localhost:3033';

async function issueAndRevoke(): Promise<void> {
  const portal = new Portal(url, process.env['SEALWRIGHT_KEY']);
  await portal.describe(libraryCard);
  const { credentialId, credentialOffer, links } = await portal.offer({
    offerId: `card-${Date.now()}`,
    templateId: libraryCard.templateId,
    credential: { credentialSubject: { given_name: 'Erika', card_number: 4711 } },
  });
  console.log(`The page for the person: ${links?.page ?? ''}`);
  console.log(`The link for a wallet:   ${credentialOffer ?? ''}`);
  for await (const accepted of portal.accepted()) {
    if (accepted === credentialId) break;
  }
  console.log(`The wallet keeps the credential: ${(await portal.read(credentialId)).status}`);
  await portal.revoke(credentialId, 'The card was lost.');
  console.log('It is revoked: verifiers reject it within minutes.');
}

issueAndRevoke().catch((error: unknown) => {
  console.error(`${url}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
