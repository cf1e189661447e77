import { card, type ReceiveOptions, type Wallet } from '../wallet';
import { type Portal, text } from './portal';
import type { Steps } from './steps';

/** The wallet's own steps are printed as they happen; it verifies each credential against the published keys. */
export async function receive(steps: Steps, wallet: Wallet, link: string, options: ReceiveOptions = {}): Promise<void> {
  const received = await steps.run('the wallet has received and verified it', () => wallet.receive(link, options));
  for (const credential of received) process.stdout.write(`\n${card(credential)}\n\n`);
}

export async function assertAccepted(steps: Steps, portal: Portal, credentialId: string): Promise<void> {
  await steps.run('the portal reads that it was accepted', async () => {
    const status = text(await portal.get(`/v0/credentials/${credentialId}`), 'status');
    if (status !== 'Accepted') throw new Error(`the status is ${status}`);
  });
}
