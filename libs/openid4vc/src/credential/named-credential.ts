import { formatOf, wireFormats, isFormatName } from '../formats/registry';
import { OAuthError, Quoting } from '../wire/oauth-error';
import { type NamedCredential } from './request-class';
import { readName } from '../wire/wire-name';
import { type WireObject } from '../wire/wire-object';

/** Which credential a request asks for. An id is looked for first, so a `format` next to it is ignored. */
export function nameCredential(body: WireObject): NamedCredential {
  const configurationId = readName(body, 'credential_configuration_id');
  if (configurationId !== undefined) return { by: 'configuration', configurationId };
  const identifier = readName(body, 'credential_identifier');
  if (identifier !== undefined) return { by: 'identifier', identifier };
  const format = readName(body, 'format');
  if (isFormatName(format)) return formatOf(format).readNamed(format, body);
  const issued = wireFormats.map(({ earlierName }) => earlierName).join(' and ');
  throw new OAuthError(
    'unsupported_credential_format',
    new Quoting(
      `The credential format '${format ?? ''}' is not issued here; ${issued} are.`,
      `The credential format '...' is not issued here; ${issued} are.`,
    ),
  );
}
