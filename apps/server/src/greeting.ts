import type { Settings } from '@app/config';
import type { Ports } from '@app/http';
import { Logger } from '@nestjs/common';
import { productVersion } from './version';

interface Reach extends Ports {
  readonly metricsPort?: number | undefined;
  /** The key for others, where this machine itself needs none. */
  readonly developmentKey?: string | undefined;
}

/** Announces that the service is up: a greeting in development, a log line in production. */
export function announce(settings: Settings, reach: Reach): void {
  const { profile, eventStore } = settings;
  if (profile === 'development') {
    process.stdout.write(greeting(settings, reach));
    return;
  }
  const version = productVersion();
  const { publicPort, managementPort, metricsPort } = reach;
  const ports = { publicPort, managementPort, metricsPort };
  const line = { event: 'service.ready', version, profile, eventStore: eventStore.type, ...ports };
  new Logger('Start').log(line, 'Sealwright is ready');
}

/** What a developer reads when the service is up: where it is and what to try first. */
export function greeting(
  { applicationUrl, profile, eventStore, management }: Settings,
  { publicPort, managementPort, metricsPort, developmentKey }: Reach,
): string {
  const access =
    developmentKey === undefined
      ? ['requires an API key or an access token']
      : ['no key needed from this machine; other machines and containers send', `X-API-Key: ${developmentKey}`];
  const lines = [
    `Sealwright is ready (${profile}, ${eventStore.type} event store).`,
    ...(management.console ? [`  console           http://127.0.0.1:${managementPort}/console`] : []),
    ...(profile === 'development' ? [`  API documentation http://127.0.0.1:${managementPort}/docs`] : []),
    `  public URL        ${applicationUrl}`,
    `  management API    http://127.0.0.1:${managementPort}/v0/credential_configurations`,
    ...access.map((line) => `                    ${line}`),
    `  issuer metadata   http://127.0.0.1:${publicPort}/.well-known/openid-credential-issuer/openid4vci`,
    ...(metricsPort === undefined ? [] : [`  metrics           http://127.0.0.1:${metricsPort}/metrics`]),
  ];
  return `${lines.join('\n')}\n`;
}
