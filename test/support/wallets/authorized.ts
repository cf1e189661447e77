import type { JsonObject } from '@app/primitives/json';
import { createHash, randomBytes } from 'node:crypto';
import { AuthorizationRequests } from '../../../libs/authorization/src/authorization-requests';
import { answered, get } from '../http/requests';
import type { RunningService } from '../service/service';
import { clientId, redeemCode, redirectUri } from './authorization';
import { type Session, sessionByCode } from './wallet';

/** A person as they were identified at the pages, which have tests of their own. */
export interface TestPerson {
  readonly source: 'development' | 'openid' | 'presentation';
  readonly claims: JsonObject;
}

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
  const token = answered(
    200,
    await redeemCode(url, { verifier }, new URL(back.redirectTo).searchParams.get('code') ?? ''),
  );
  return { authorizationId, ...(await sessionByCode(`${url}/openid4vci`, configurationIds, token)) };
}

export async function credentialsOfAuthorization(url: string, authorizationId: string) {
  const page = answered(200, await get(`${url}/v0/credentials?authorizationId=${authorizationId}`));
  return page['items'] as Record<string, unknown>[];
}
