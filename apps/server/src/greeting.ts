import { needsNoKeyHere } from '@app/access';
import type { Settings } from '@app/config';
import { Logger } from '@nestjs/common';
import type { Ports } from './listeners';
import { productVersion } from './version';

type AllPorts = Ports & { readonly metricsPort?: number | undefined };

/** Says that the service is up: in words to a developer, in a line of the log to whoever runs it. */
export function announce(settings: Settings, ports: AllPorts): void {
  const { profile, eventStore } = settings;
  if (profile === 'development') {
    process.stdout.write(greeting(settings, ports));
    return;
  }
  const version = productVersion();
  const line = { event: 'service.ready', version, profile, eventStore: eventStore.type, ...ports };
  new Logger('Start').log(line, 'Sealwright is ready');
}

/** What an operator reads when the service is up: where it is and what to try first. */
export function greeting(
  { applicationUrl, profile, eventStore, management }: Settings,
  { publicPort, managementPort, metricsPort }: AllPorts,
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
