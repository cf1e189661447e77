import { type DcqlQuery } from '../dcql/dcql-query';
import { wireFormats } from '../formats/registry';
import { OAuthError, type Quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { type PresentationsByQueryId, type PresentedToken, requireSingle } from './vp-token';
import { isWireObject, member, type WireObject } from '../wire/wire-object';

/** What the presentation definition was, see `derivePresentationDefinition`. */
export interface SubmissionTerms {
  readonly query: DcqlQuery;
  readonly definitionId: string;
  readonly descriptorToQueryId: Readonly<Record<string, string>>;
}

const FORMATS = new Set<unknown>(wireFormats.flatMap(({ exchange }) => exchange?.submissionNames ?? []));
const MOST_PRESENTATIONS = 40;

// The paths wallets really send. Nothing a wallet writes is ever evaluated as JSONPath (draft 20 §12.6.2).
const PATH = /^\$(?:\[(\d{1,3})\])?$/u;
const NESTED_PATH = /^\$(?:(?:\[(\d{1,3})\])?\.vp)?\.verifiableCredential(?:\[(\d{1,3})\])?$/u;

/**
 * Reads `vp_token` with its `presentation_submission` (drafts 18 to 24, DIF Presentation Exchange 2.0 §6) and says
 * which query of the DCQL query each presentation answers.
 * @throws OAuthError invalid_request.
 */
export function readSubmission(vpToken: unknown, submission: unknown, terms: SubmissionTerms): PresentationsByQueryId {
  const tokens = readTokens(vpToken);
  if (!isWireObject(submission))
    throw invalid('submission-malformed', 'presentation_submission must be a JSON object.');
  if (member(submission, 'definition_id') !== terms.definitionId) {
    throw invalid(
      'submission-malformed',
      'The definition_id of the presentation_submission is not the one of the request.',
    );
  }
  const answers = new Map<string, PresentedToken[]>();
  const referenced = new Set<number>();
  for (const [descriptorId, entry] of readDescriptorMap(submission, terms)) {
    const index = readPath(entry, tokens.length);
    const token = tokens[index];
    if (token === undefined)
      throw invalid('submission-malformed', `The submission of '${descriptorId}' points to no presentation.`);
    referenced.add(index);
    const queryId = terms.descriptorToQueryId[descriptorId] ?? descriptorId;
    answers.set(queryId, [...(answers.get(queryId) ?? []), { token, ...readNested(entry, token, index) }]);
  }
  if (referenced.size < tokens.length)
    throw invalid('submission-malformed', 'The presentation_submission leaves out a presentation.');
  return requireSingle(Object.fromEntries(answers), terms.query);
}

/** Draft 20 §6.1: one presentation is sent directly, several in an array. */
function readTokens(vpToken: unknown): readonly string[] {
  if (typeof vpToken === 'string' && vpToken !== '') return [vpToken];
  const items: readonly unknown[] = Array.isArray(vpToken) ? vpToken : [];
  if (items.length === 1) throw invalid('vp-token-malformed', 'A single presentation must not be in an array.');
  if (items.length === 0 || items.length > MOST_PRESENTATIONS) {
    throw invalid(
      'vp-token-malformed',
      `vp_token must be one presentation or an array of at most ${MOST_PRESENTATIONS}.`,
    );
  }
  if (!items.every((item): item is string => typeof item === 'string' && item !== '')) {
    throw invalid('vp-token-malformed', 'Every presentation in vp_token must be a non-empty string.');
  }
  return items;
}

function readDescriptorMap(submission: WireObject, terms: SubmissionTerms): ReadonlyMap<string, WireObject> {
  const value = member(submission, 'descriptor_map');
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (items.length === 0)
    throw invalid('submission-malformed', 'The descriptor_map of the presentation_submission is missing or empty.');
  const entries = new Map<string, WireObject>();
  for (const item of items) {
    const id = isWireObject(item) ? member(item, 'id') : undefined;
    if (!isWireObject(item) || typeof id !== 'string' || !Object.hasOwn(terms.descriptorToQueryId, id)) {
      throw invalid(
        'submission-malformed',
        'The descriptor_map names a descriptor that the presentation definition does not have.',
      );
    }
    if (entries.has(id)) throw invalid('submission-malformed', `The descriptor_map names '${id}' more than once.`);
    if (!FORMATS.has(member(item, 'format')))
      throw invalid('submission-malformed', `The format of '${id}' in the descriptor_map is unknown.`);
    entries.set(id, item);
  }
  return entries;
}

/** The index of the presentation meant: `$` for the only one, `$[n]` among several. */
function readPath(entry: WireObject, presentations: number): number {
  const path = member(entry, 'path');
  const match = typeof path === 'string' ? PATH.exec(path) : null;
  if (match === null || (match[1] === undefined && presentations > 1)) {
    throw invalid(
      'submission-malformed',
      'A path in the descriptor_map must be $ for a single presentation and $[n] for one of several.',
    );
  }
  return Number(match[1] ?? 0);
}

function readNested(entry: WireObject, token: string, index: number): { credentialIndex?: number } {
  const nested = member(entry, 'path_nested');
  if (nested === undefined) return {};
  for (const format of wireFormats) {
    const fault = format.exchange?.nestingFault(token);
    if (fault !== undefined) throw invalid('submission-malformed', `${fault}, so path_nested must be absent.`);
  }
  const path = isWireObject(nested) ? member(nested, 'path') : undefined;
  const match = typeof path === 'string' ? NESTED_PATH.exec(path) : null;
  const consistent = match !== null && (match[1] === undefined || Number(match[1]) === index);
  if (!consistent || !isWireObject(nested) || member(nested, 'path_nested') !== undefined) {
    throw invalid(
      'submission-malformed',
      'path_nested must name one credential as $.vp.verifiableCredential[n], and nothing below it.',
    );
  }
  return { credentialIndex: Number(match[2] ?? 0) };
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
