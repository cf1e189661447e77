import { openApiDocument } from '@app/contract';
import { webhookMessages } from '@app/webhooks';
import { managementModules } from './modules';

/** The OpenAPI document of the management API as text, the way it is committed and served. */
export function managementDocument(): string {
  const info = {
    title: 'Sealwright management API',
    version: 'v0',
    description:
      'For issuer portals and back offices: prepare and offer credentials, ask wallets to present them. Unknown properties ' +
      'and query parameters are rejected. Wallet endpoints follow their specifications and are not described here.',
  };
  const document = openApiDocument(managementModules, info, webhookMessages);
  return `${JSON.stringify(document, null, 2)}\n`;
}
