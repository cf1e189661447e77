import type { Settings } from '@app/config';
import type { Ports } from './listeners';

/** What an operator reads when the service is up: where it is and what to try first. */
export function greeting(
  { applicationUrl, profile, eventStore }: Settings,
  { publicPort, managementPort }: Ports,
): string {
  const lines = [
    `Sealwright is ready (${profile}, ${eventStore.type} event store).`,
    `  public URL        ${applicationUrl}`,
    `  management API    http://127.0.0.1:${managementPort}/v0/credential_configurations`,
    `  issuer metadata   http://127.0.0.1:${publicPort}/.well-known/openid-credential-issuer/openid4vci`,
  ];
  return `${lines.join('\n')}\n`;
}
