import { type DcqlQuery } from '../dcql/dcql-query';
import { OAuthError, type Quoting, quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { isWireObject } from '../wire/wire-object';

/** One presentation as the wallet sent it, not yet verified. */
export interface PresentedToken {
  /** An SD-JWT with key binding, or the JWT of a W3C presentation. */
  readonly token: string;
  /** The credential meant among `vp.verifiableCredential`, where a submission says so. */
  readonly credentialIndex?: number;
}

/** By the ids of the DCQL query; ids that were not answered are missing. */
export type PresentationsByQueryId = Readonly<Record<string, readonly PresentedToken[]>>;

const MOST_PRESENTATIONS = 20;

/**
 * Reads the `vp_token` of OpenID4VP 1.0 §8.1. A single presentation instead of a list is the shape of drafts 22 to 24
 * and accepted, an answer to something not asked is not.
 * @throws OAuthError invalid_request.
 */
export function readDcqlVpToken(vpToken: unknown, query: DcqlQuery): PresentationsByQueryId {
  if (!isWireObject(vpToken))
    throw invalid('vp-token-malformed', 'vp_token must be a JSON object whose keys are the ids of the DCQL query.');
  const answered = new Set(Object.keys(vpToken));
  const entries = query.credentials
    .filter(({ id }) => answered.delete(id))
    .map(({ id }) => [id, readPresentations(vpToken[id], id)] as const);
  const [unasked] = answered;
  if (unasked !== undefined)
    throw invalid(
      'vp-token-not-asked-for',
      quoting`vp_token answers '${unasked.slice(0, 128)}', which was not asked for.`,
    );
  return requireSingle(Object.fromEntries(entries), query);
}

/** @throws OAuthError when a query that does not allow `multiple` has more than one answer. */
export function requireSingle(answers: PresentationsByQueryId, query: DcqlQuery): PresentationsByQueryId {
  const crowded = query.credentials.find(({ id, multiple }) => multiple !== true && (answers[id]?.length ?? 0) > 1);
  if (crowded !== undefined)
    throw invalid('vp-token-malformed', `Only one presentation was asked for by '${crowded.id}'.`);
  return answers;
}

function readPresentations(value: unknown, id: string): readonly PresentedToken[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0 || items.length > MOST_PRESENTATIONS) {
    throw invalid(
      'vp-token-malformed',
      `The answer to '${id}' must be an array of 1 to ${MOST_PRESENTATIONS} presentations.`,
    );
  }
  return items.map((token) => {
    if (typeof token !== 'string' || token === '') {
      throw invalid('vp-token-malformed', `Every presentation that answers '${id}' must be a non-empty string.`);
    }
    return { token };
  });
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
