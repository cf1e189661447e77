import { isJsonObject, type JsonObject, type JsonValue, lineOfYamlError } from '@app/primitives/json';
import { faultOfRedirectUri } from '@app/openid4vc';
import { parse } from 'yaml';
import type { ClientKey } from './client-assertion';
import { readClientKeys } from './client-keys';
import { clientMethods, ClientsFault, type RegisteredClient } from './registered-client';

const members = ['clientId', 'method', 'name', 'redirectUris', 'jwks', 'jwksUri'];
const longestName = 100;

/** What clients of a file may have. */
export interface ClientsFileRules {
  /** Whether a redirect URI may be http on the machine of the wallet. */
  readonly allowLoopback: boolean;
  /** Whether keys may be fetched from the URL. */
  readonly isFetchable: (url: string) => boolean;
  /** Whether all of them have to authenticate (HAIP 1.0 §4.4.1). */
  readonly demandsAuthentication: boolean;
}

/** Reads a YAML list of clients. Throws `ClientsFault`. */
export function readClientsFile(text: string, rules: ClientsFileRules): readonly RegisteredClient[] {
  const list = parseYaml(text);
  if (!Array.isArray(list)) throw new ClientsFault('no list of clients', 'begin each client with "- clientId:"');
  const clients = list.map((entry, index) => readClient(entry, `client ${index + 1}`, rules));
  const repeated = clients.find(({ clientId }, index) => clients.findIndex((one) => one.clientId === clientId) < index);
  if (repeated) throw new ClientsFault(`${repeated.clientId} twice`, 'give each client one entry');
  return clients;
}

function parseYaml(text: string): JsonValue {
  try {
    return parse(text) as JsonValue;
  } catch (error) {
    throw new ClientsFault(`a text that is not YAML${lineOfYamlError(error)}`, 'correct its YAML');
  }
}

function readClient(entry: JsonValue, place: string, rules: ClientsFileRules): RegisteredClient {
  if (!isJsonObject(entry)) throw new ClientsFault(`${place} without members`, 'write at least clientId and method');
  const { clientId } = entry;
  if (typeof clientId !== 'string' || !/^[\x20-\x7e]{1,2048}$/u.test(clientId)) {
    throw new ClientsFault(`${place} without clientId`, 'write its client_id in quotes: visible ASCII');
  }
  const unknown = Object.keys(entry).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    throw new ClientsFault(
      `the member ${JSON.stringify(unknown.slice(0, longestName))} of ${clientId}`,
      `use only ${members.join(', ')}`,
    );
  }
  const method = clientMethods.find((one) => one === entry['method']);
  if (method === undefined) {
    throw new ClientsFault(`another method of ${clientId}`, `write one of: ${clientMethods.join(', ')}`);
  }
  if (method === 'none' && rules.demandsAuthentication) {
    throw new ClientsFault(`the method none of ${clientId}`, 'write another method, which SERVICE__HAIP wants');
  }
  const name = readName(entry, clientId);
  const redirectUris = readRedirectUris(entry, clientId, rules);
  const keys = readKeys(entry, { clientId, method }, rules);
  return { clientId, method, ...(name && { name }), ...(redirectUris && { redirectUris }), ...(keys && { keys }) };
}

function readName({ name }: JsonObject, clientId: string): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && name.trim() !== '' && name.length <= longestName) return name;
  throw new ClientsFault(`a name of ${clientId} that is no text`, `write at most ${longestName} characters in quotes`);
}

/** Whoever could choose where to be sent back to would get the codes of a client that authenticates by nothing. */
function readRedirectUris(
  { redirectUris, method }: JsonObject,
  clientId: string,
  { allowLoopback }: ClientsFileRules,
): readonly string[] | undefined {
  if (redirectUris === undefined) {
    if (method === 'attest_jwt_client_auth') return undefined;
    throw new ClientsFault(`no redirectUris of ${clientId}`, 'list where the wallet is returned to');
  }
  const isUri = (uri: JsonValue): uri is string =>
    typeof uri === 'string' && faultOfRedirectUri(uri, { registered: undefined, allowLoopback }) === undefined;
  if (Array.isArray(redirectUris) && redirectUris.length > 0 && redirectUris.every(isUri)) return redirectUris;
  throw new ClientsFault(
    `redirectUris of ${clientId} that cannot be used`,
    'list https URLs without fragment, or URIs of a private-use scheme with a dot such as com.example.wallet:/callback',
  );
}

function readKeys(
  { jwks, jwksUri }: JsonObject,
  { clientId, method }: Pick<RegisteredClient, 'clientId' | 'method'>,
  { isFetchable }: ClientsFileRules,
): readonly ClientKey[] | string | undefined {
  if (method !== 'private_key_jwt') {
    if (jwks === undefined && jwksUri === undefined) return undefined;
    throw new ClientsFault(`keys of ${clientId}, which does not use any`, 'write them for private_key_jwt only');
  }
  if ((jwks === undefined) === (jwksUri === undefined)) {
    throw new ClientsFault(`keys of ${clientId} in no place, or in two`, 'write either jwks or jwksUri');
  }
  if (jwks === undefined) {
    if (typeof jwksUri === 'string' && isFetchable(jwksUri)) return jwksUri;
    throw new ClientsFault(
      `a jwksUri of ${clientId} that cannot be fetched`,
      'write an https URL, or name its host in SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS',
    );
  }
  const keys = readClientKeys(jwks);
  if (keys && keys.length > 0) return keys;
  throw new ClientsFault(`jwks of ${clientId} without a usable key`, 'write public P-256, P-384 or Ed25519 keys in it');
}
