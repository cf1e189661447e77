import { type Answer, type Asked, type Received, respond, resultOf } from './presenter';
import { type Holdings, tokensFor } from './holdings';
import { answered, type Json, type Reply } from '../http/requests';
import { expectRefusal } from '../http/refusals';

/** A rejected presentation: the failed check is named, nothing is disclosed, and a valid response still completes the request. */
export async function expectCheckFailed(
  asked: Asked,
  received: Received,
  reply: Reply,
  failed: { readonly check: string; readonly credentialId?: string; readonly reason?: RegExp },
  valid: () => Answer,
  secret: string,
): Promise<void> {
  expectRefusal(reply, 400, 'invalid_request');
  const { check, credentialId, reason } = failed;
  const place = credentialId === undefined ? '' : ` of ${credentialId}`;
  expect(reply.json['error_description']).toMatch(new RegExp(`^The check ${check}${place} failed: .+\\.$`));
  const result = await resultOf(asked);
  expect(result).toMatchObject({
    status: 'rejected',
    vp_token: null,
    id_token: null,
    subject: null,
    credentials: [],
    failure: { check, reason: expect.stringMatching(reason ?? /./) as unknown },
  });
  const last = (result['timeline'] as Json[]).at(-1);
  expect(last).toMatchObject({ step: 'presented', outcome: 'rejected', detail: { check } });
  expect(JSON.stringify(result)).not.toContain(secret);
  answered(200, await respond(received, valid()));
  expect(await resultOf(asked)).toMatchObject({ status: 'verified', failure: null });
}

/** After an unreadable response nothing is disclosed, and a valid response still completes the request. */
export async function expectStillOpen(
  asked: Asked,
  received: Received,
  holdings: Holdings,
  ids: readonly string[],
  secret: string,
  refused?: Reply,
): Promise<void> {
  const result = await resultOf(asked);
  expect(result).toMatchObject({ vp_token: null, id_token: null, credentials: [] });
  if (refused) expectExplained(result, refused);
  expect(JSON.stringify(result)).not.toContain(secret);
  answered(200, await respond(received, { tokens: tokensFor(holdings, received, ids) }));
  expect(await resultOf(asked)).toMatchObject({ status: 'verified', failure: null });
}

/** The relying party finds the words that the wallet got, without what they quote, in the result and its timeline. */
function expectExplained(result: Json, { json: { error, error_description: words } }: Reply): void {
  const unquoted = (text: unknown): string => String(text).replaceAll(/'[^']*'/g, "'...'");
  const { status, failure, timeline } = result as {
    readonly status: string;
    readonly failure: Json;
    readonly timeline: Json[];
  };
  expect(status).toBe('rejected');
  const last = timeline.at(-1) ?? {};
  if (last['step'] === 'presented') {
    expect(words).toContain(failure['reason']);
    return;
  }
  expect([failure['check'], unquoted(failure['reason'])]).toEqual(['response', unquoted(words)]);
  expect(last).toMatchObject({ step: 'wallet refused', refusal: { endpoint: 'response', error, count: 1 } });
  expect(unquoted(last['detail'])).toBe(unquoted(words));
}
