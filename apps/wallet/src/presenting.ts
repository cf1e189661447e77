import type { AskedCredential, Match } from './asked-credential';
import { parsePathText, pathText, valuesAt } from './claim-path';
import { presentCredential, selfIssuedIdToken, type SubjectSyntax } from './credential-presentation';
import { matchDcqlQuery } from './dcql-query';
import { WalletFailure } from './failure';
import { matchDefinition } from './presentation-definition';
import type { PresentationRequest } from './presentation-request';
import type { Answer } from './presentation-response';
import { contentOf } from './stored-credential';
import { assignTransactionData, transactionText } from './transaction-data';
import type { ReceivedCredential, WalletFile } from './wallet-file';

export interface PresentOptions {
  /** Ids of credentials to use where several would do; the newest is used otherwise. */
  readonly credentials?: readonly string[];
  /** Claims of SD-JWTs to disclose in place of those asked for, as `address.locality`. */
  readonly disclose?: readonly string[];
  /** How the ID token names its subject; default: the first the verifier names, else did:jwk. */
  readonly subject?: SubjectSyntax;
}

/** What went into one presentation. */
export interface PresentedCredential {
  /** What the verifier calls it. */
  readonly queryId: string;
  readonly credentialId: string;
  readonly title: string;
  readonly disclosed: readonly string[];
  /** The transactions that this presentation confirms, as `payment {"amount":"12.50 EUR"}`. */
  readonly confirmed: readonly string[];
}

/** What the verifier wants, resolved to credentials of this wallet; throws when it has none. */
export function findAsked(
  request: PresentationRequest,
  credentials: readonly ReceivedCredential[],
): readonly AskedCredential[] {
  if (!request.wantsPresentation) return [];
  return request.dcqlQuery === undefined
    ? matchDefinition(request.presentationDefinition, credentials)
    : matchDcqlQuery(request.dcqlQuery, credentials);
}

/** `membership: given_name, address.locality (2 credentials match)` */
export function askedText({ id, matches }: AskedCredential): string {
  const claims = matches[0].paths.map(pathText).join(', ');
  const several = matches.length > 1 ? ` (${matches.length} credentials match, the newest unless --credential)` : '';
  return `${id}: ${claims === '' ? 'no single claims' : claims}${several}`;
}

/** Makes everything the request wants; nothing is sent yet. */
export async function prepareAnswer(
  request: PresentationRequest,
  asked: readonly AskedCredential[],
  file: WalletFile,
  options: PresentOptions,
): Promise<{ answer: Answer; presented: PresentedCredential[] }> {
  const chosen = choose(asked, options);
  const transactions = assignTransactionData(
    request.transactionData,
    chosen.map(({ question }) => question.id),
  );
  const presentations: Answer['presentations'][number][] = [];
  const presented: PresentedCredential[] = [];
  for (const { question, match } of chosen) {
    const { id, title, keyId } = match.credential;
    const key = question.holderBinding && keyId !== null ? await file.key(keyId) : null;
    const confirmed = transactions.get(question.id) ?? [];
    const { presentation, disclosed } = await presentCredential(match, key, request, confirmed);
    const format = match.credential.format === 'jwt_vc_json' ? 'jwt_vc_json' : question.format;
    presentations.push({ id: question.id, format, presentation });
    presented.push({
      queryId: question.id,
      credentialId: id,
      title,
      disclosed,
      confirmed: confirmed.map(transactionText),
    });
  }
  const idToken = request.wantsIdToken ? await idTokenFor(request, file, options) : undefined;
  return { answer: { presentations, idToken }, presented };
}

function choose(
  asked: readonly AskedCredential[],
  { credentials = [], disclose }: PresentOptions,
): { question: AskedCredential; match: Match }[] {
  const unusable = credentials.find(
    (id) => !asked.some(({ matches }) => matches.some((one) => one.credential.id === id)),
  );
  if (unusable !== undefined) throw new WalletFailure(`The credential ${unusable} matches nothing in the request.`);
  const chosen = asked.map((question) => ({
    question,
    match: question.matches.find(({ credential }) => credentials.includes(credential.id)) ?? question.matches[0],
  }));
  if (!disclose) return chosen;
  const paths = disclose.map(parsePathText);
  const contents = chosen.map(({ match }) => contentOf(match.credential));
  const unknown = paths.find((path) => !contents.some((content) => valuesAt(content, path).length > 0));
  if (unknown) throw new WalletFailure(`None of the credentials has the claim ${pathText(unknown)}.`);
  return chosen.map(({ question, match }) => ({ question, match: { ...match, paths } }));
}

async function idTokenFor(request: PresentationRequest, file: WalletFile, options: PresentOptions): Promise<string> {
  const metadata = (request.payload.client_metadata ?? {}) as Record<string, unknown>;
  const { subject_syntax_types_supported: named, id_token_signed_response_alg: algorithm } = metadata;
  const accepted = (Array.isArray(named) ? named : []).flatMap((type): SubjectSyntax[] => {
    if (type === 'urn:ietf:params:oauth:jwk-thumbprint') return ['jwk-thumbprint'];
    return type === 'did:jwk' || type === 'did' ? ['did:jwk'] : [];
  });
  const key = await file.keyFor(algorithm === 'EdDSA' ? 'EdDSA' : 'ES256');
  return selfIssuedIdToken(key, options.subject ?? accepted[0] ?? 'did:jwk', request);
}
