import { openApiDocument } from '@app/http';
import { webhookMessages } from '@app/events';
import { managementModules } from './modules';

/** Patterns name them. */
const unseen = /(?! )[\p{Z}\p{Cf}]/gu;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The OpenAPI document of the management API as text, the way it is committed and served. */
export function managementDocument(): string {
  const info = {
    title: 'Sealwright management API',
    version: 'v0',
    description:
      'For issuer portals and back offices: prepare and offer credentials, ask wallets to present them. Unknown properties ' +
      'and query parameters are rejected. No string and no name of a member may have the character U+0000, and no number more ' +
      'than a double holds exactly (integers up to 2^53 - 1, 15 to 17 digits): send it as text. A string of limited length may not ' +
      'have characters that nobody sees and that change how the rest reads, such as U+202E. Wallet endpoints follow their ' +
      'specifications and are not described here.',
  };
  const document = openApiDocument(managementModules, info, webhookMessages);
  return `${JSON.stringify(document, null, 2).replace(unseen, escaped)}\n`;
}
