import { randomUUID } from 'node:crypto';
import { refusal, parsed, WalletFailure } from './failure';
import { fetchInTime } from './issuance-client';
import { presentationClient } from './presentation-client';
import type { PresentationRequest } from './presentation-request';
import { encryptionSupport } from './response-encryption';

export interface Answer {
  /** Presentations by the id of what they answer, in the order they were asked for. */
  readonly presentations: readonly { readonly id: string; readonly format: string; readonly presentation: string }[];
  readonly idToken: string | undefined;
}

type Members = Record<string, unknown>;

/** Posts the answer, encrypted if the verifier wants it so; returns where the person goes on, if anywhere. */
export async function sendAnswer(request: PresentationRequest, answer: Answer): Promise<string | null> {
  const presented = answer.presentations.length > 0 ? presentationMembers(request, answer.presentations) : {};
  const members = { ...presented, ...(answer.idToken === undefined ? {} : { id_token: answer.idToken }) };
  const { response_mode: mode } = request.payload;
  return post(request, mode === 'direct_post.jwt' ? await encrypted(request, members) : withState(request, members));
}

/** Notifies the verifier that there will be no answer (OpenID4VP 1.0 §8.5). */
export async function sendError(request: PresentationRequest, error: string, description: string): Promise<void> {
  await post(request, withState(request, { error, error_description: description }));
}

function presentationMembers(request: PresentationRequest, presentations: Answer['presentations']): Members {
  if (request.dcqlQuery !== undefined) {
    const entries = presentations.map(({ id, presentation }): [string, unknown] => [
      id,
      // Drafts 22 to 25 have one presentation per query, OpenID4VP 1.0 §8.1 a list even of one.
      request.listsPresentations ? [presentation] : presentation,
    ]);
    return { vp_token: Object.fromEntries(entries) };
  }
  const texts = presentations.map(({ presentation }) => presentation);
  const single = presentations.length === 1;
  const descriptors = presentations.map(({ id, format }, index) => {
    const path = single ? '$' : `$[${index}]`;
    if (format.endsWith('+sd-jwt')) return { id, format, path };
    const nested = { id, format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' };
    return { id, format: 'jwt_vp_json', path, path_nested: nested };
  });
  const { id: definitionId } = request.presentationDefinition as { id: string };
  const submission = { id: definitionId, definition_id: definitionId, descriptor_map: descriptors };
  // Draft 20 §6.1: a single presentation is not wrapped into an array.
  return { vp_token: single ? texts[0] : texts, presentation_submission: submission };
}

async function encrypted(request: PresentationRequest, members: Members): Promise<Members> {
  const { jarm } = await presentationClient(request.responseUri).createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request.payload,
    // The library's type leaves no room for a response with an ID token alone; it passes every member on.
    authorizationResponsePayload: members as { vp_token: string },
    // Becomes `apu`, which has to differ from `apv`, the verifier's nonce.
    jarm: { encryption: { nonce: randomUUID() }, serverMetadata: encryptionSupport },
  });
  if (!jarm) throw new WalletFailure('The response could not be encrypted.');
  return { response: jarm.responseJwt };
}

function withState({ state }: PresentationRequest, members: Members): Members {
  return state === undefined ? members : { ...members, state };
}

async function post({ responseUri }: PresentationRequest, members: Members): Promise<string | null> {
  const form = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const response = await fetchInTime(responseUri, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(form),
    redirect: 'manual',
  });
  const body = parsed(await response.text());
  if (!response.ok) throw new WalletFailure(refusal(response.status, body));
  const { redirect_uri: next } = (body ?? {}) as { redirect_uri?: unknown };
  return typeof next === 'string' ? next : null;
}
