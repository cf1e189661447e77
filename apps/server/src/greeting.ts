import { needsNoKeyHere } from '@app/access';
import type { Settings } from '@app/config';
import type { Ports } from './listeners';

/** What an operator reads when the service is up: where it is and what to try first. */
export function greeting(
  { applicationUrl, profile, eventStore, management }: Settings,
  { publicPort, managementPort, metricsPort }: Ports & { readonly metricsPort?: number | undefined },
): string {
  const access = needsNoKeyHere({ management, profile })
    ? 'no key needed from this machine; others need an API key'
    : 'wants an API key or an access token';
  const lines = [
    `Sealwright is ready (${profile}, ${eventStore.type} event store).`,
    `  public URL        ${applicationUrl}`,
    `  management API    http://127.0.0.1:${managementPort}/v0/credential_configurations`,
    `                    ${access}`,
    `  issuer metadata   http://127.0.0.1:${publicPort}/.well-known/openid-credential-issuer/openid4vci`,
    ...(metricsPort === undefined ? [] : [`  metrics           http://127.0.0.1:${metricsPort}/metrics`]),
  ];
  return `${lines.join('\n')}\n`;
}
