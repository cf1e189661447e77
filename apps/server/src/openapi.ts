import { openApiDocument } from '@app/contract';
import { managementModules } from './modules';

/** The OpenAPI document of the management API as text, the way it is committed and served. */
export function managementDocument(): string {
  const document = openApiDocument(managementModules, {
    title: 'Sealwright management API',
    version: 'v0',
    description:
      'For issuer portals and back offices: prepare and offer credentials, ask wallets to present them. Unknown properties ' +
      'and query parameters are rejected. Wallet endpoints follow their specifications and are not described here.',
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}
