import { isLoopback, type Settings } from '@app/config';
import { isPublicAddress, OutboundClient, OutboundError } from '@app/outbound';
import { lookup } from 'node:dns/promises';
import { fail, type Finding, ok, warn } from './finding';
import { reasonOf } from './outbound-reason';

/** The client that asks our own service: its host is the operator's own, so it may be private and speak http. */
export function ownClient({ applicationUrl, outbound }: Settings): OutboundClient {
  const allowPrivateHosts = [...outbound.allowPrivateHosts, new URL(applicationUrl).host];
  return new OutboundClient({ allowPrivateHosts, negativeCacheMs: 0 });
}

/** Whether others can reach the public URL at all, judging by its name. */
export async function checkPublicUrl({ applicationUrl, profile }: Settings): Promise<Finding> {
  const check = 'public URL';
  if (isLoopback(applicationUrl)) {
    const found = `${applicationUrl} resolves to the device itself`;
    const remedy = 'Set SERVICE__APPLICATION_URL to an address that wallets can reach.';
    return profile === 'production' ? fail(check, found, remedy) : warn(check, found, remedy);
  }
  const host = new URL(applicationUrl).hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(host, { all: true }).catch(() => []);
  if (addresses.length === 0) {
    const remedy = 'Correct SERVICE__APPLICATION_URL, or the DNS of this machine.';
    return fail(check, `the name of ${applicationUrl} does not resolve`, remedy);
  }
  const seen = addresses.map(({ address }) => address).join(', ');
  if (profile === 'production' && !addresses.some(({ address }) => isPublicAddress(address))) {
    const remedy = 'Make sure that wallets outside this network resolve the name to a public address.';
    return warn(check, `${applicationUrl} resolves to ${seen}, which is private`, remedy);
  }
  return ok(check, `${applicationUrl} resolves to ${seen}`);
}

/** Whether anything answers at the public URL; any answer will do, the documents are checked one by one. */
export async function checkReachable({ applicationUrl }: Settings, client: OutboundClient): Promise<Finding> {
  const check = 'reachable';
  const url = `${applicationUrl}/livez`;
  try {
    await client.get(url, { purpose: 'self-check', accept: ['*/*'], maxRedirects: 0 });
    return ok(check, `${url} answers`);
  } catch (error) {
    const isAnswer = error instanceof OutboundError && /^(unexpected|too)-/.test(error.reason);
    if (isAnswer) return ok(check, `${url} answers, though ${reasonOf(error)}`);
    const remedy =
      'Start the service, and check that the proxy, the certificate and the firewall let this machine reach it.';
    return fail(check, `${url} does not answer: ${reasonOf(error)}`, remedy);
  }
}
