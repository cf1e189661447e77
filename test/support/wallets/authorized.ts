import type { JsonObject } from '@app/json';
import { createHash, randomBytes } from 'node:crypto';
import { AuthorizationRequests } from '../../../libs/authorization/src/authorization-requests';
import { answered, get, postForm } from '../http/requests';
import type { RunningService } from '../service/service';
import { readMetadata, type Session } from './wallet';

/** A person as they were identified at the pages, which have tests of their own. */
export interface TestPerson {
  readonly source: 'development' | 'openid' | 'presentation';
  readonly claims: JsonObject;
}

const clientId = 'https://wallet.example';
const redirectUri = 'https://wallet.example/callback';

/** A wallet with the token of an authorization code, for which a person was identified and has agreed. */
export async function authorizedSession(
  { app, url }: RunningService,
  configurationIds: readonly string[],
  { source, claims }: TestPerson,
  state?: string,
): Promise<Session & { readonly authorizationId: string }> {
  const requests = app.get(AuthorizationRequests);
  const session = randomBytes(32).toString('base64url');
  const verifier = randomBytes(32).toString('base64url');
  const { requestUri } = await requests.push({
    client: { clientId, method: 'none', uses: [] },
    redirectUri,
    codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
    configurationIds,
    identifiersGiven: false,
    ...(state !== undefined && { state }),
    uses: [],
  });
  const authorizationId = (await requests.find(requestUri, clientId))?.authorizationId ?? '';
  await requests.identify(authorizationId, session, source, claims);
  const back = await requests.consent(authorizationId, session);
  if (typeof back === 'string') throw new Error(`the authorization was refused: ${back}`);
  const issuer = `${url}/openid4vci`;
  const token = answered(
    200,
    await postForm(`${issuer}/token`, [
      ['grant_type', 'authorization_code'],
      ['code', new URL(back.redirectTo).searchParams.get('code') ?? ''],
      ['redirect_uri', redirectUri],
      ['code_verifier', verifier],
      ['client_id', clientId],
    ]),
  );
  return {
    authorizationId,
    requestClass: 'F',
    offer: { issuer, configurationIds, code: '', txCode: undefined },
    metadata: await readMetadata(issuer, 'final'),
    token,
    accessToken: String(token['access_token']),
  };
}

export async function credentialsOfAuthorization(url: string, authorizationId: string) {
  const page = answered(200, await get(`${url}/v0/credentials?authorizationId=${authorizationId}`));
  return page['items'] as Record<string, unknown>[];
}
