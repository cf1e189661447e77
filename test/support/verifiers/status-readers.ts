import { checkStatus, statusTypeMatches } from '@digitalbazaar/vc-bitstring-status-list';
import { getListFromStatusListJWT, getStatusListFromJWT } from '@owf/token-status-list';
import type { JsonWebKey } from 'node:crypto';
import { answered, get, type Json, send } from '../http/requests';
import { readJwt, verifies } from '../wallets/credentials';

/**
 * The value that a Status List Token has for the credential: read by a library of others, and its signature verified.
 * @param replica the base URL of the one to ask, when that is another one than the address names
 */
export async function tokenStatus(credential: string, replica?: string): Promise<number> {
  const jwt = credential.split('~')[0] ?? '';
  const { uri, idx } = getStatusListFromJWT(jwt);
  const headers = { accept: 'application/statuslist+jwt' };
  const reply = await send(replica === undefined ? uri : `${replica}${new URL(uri).pathname}`, { headers });
  if (reply.status !== 200) throw new Error(`the list is answered with ${reply.status}`);
  await assertSigned(uri, reply.text);
  const { payload } = readJwt(reply.text);
  if (payload['sub'] !== uri || payload['iss'] !== readJwt(jwt).payload['iss']) throw new Error('of another list');
  return getListFromStatusListJWT(reply.text).getStatus(idx);
}

/** The purposes for which the bitstring lists of a W3C credential are set; read by a library of others. */
export async function bitstringPurposesOf(credential: string): Promise<string[]> {
  const vc = readJwt(credential).payload['vc'] as Json;
  if (!statusTypeMatches({ credential: vc })) throw new Error('the credential has no status that the library knows');
  const checked = await checkStatus({
    credential: vc,
    documentLoader: async (uri: string) => {
      const reply = await send(uri, { headers: { accept: 'application/vc+jwt' } });
      await assertSigned(uri, reply.text);
      return { document: readJwt(reply.text).payload };
    },
    // It knows no JWS; the signature is verified above.
    verifyBitstringStatusListCredential: false,
  });
  if (!checked.verified) throw new Error('the library could not read the status', { cause: checked.error });
  return (checked.results ?? []).flatMap(({ status, credentialStatus }) =>
    status ? [credentialStatus.statusPurpose] : [],
  );
}

/** Throws unless one of the published keys has signed it. */
async function assertSigned(uri: string, jwt: string): Promise<void> {
  const { keys } = answered(200, await get(`${uri.split('/status_lists/', 1)[0] ?? ''}/jwks.json`));
  if (!(keys as JsonWebKey[]).some((key) => verifies(jwt, key)))
    throw new Error('no published key has signed the list');
}
