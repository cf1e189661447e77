import { DcqlQuery, type DcqlCredential } from 'dcql';
import { newestFirst, type AskedCredential, type Match } from './asked-credential';
import type { ClaimPath } from './claim-path';
import { WalletFailure } from './failure';
import { contentOf, vcOf } from './stored-credential';
import type { ReceivedCredential } from './wallet-file';

type Claims = Extract<DcqlCredential, { claims: unknown }>['claims'];
interface Candidate {
  readonly credential: ReceivedCredential;
  readonly described: DcqlCredential;
}

/**
 * Matches the wallet against a DCQL query (OpenID4VP 1.0 §6). Answers what must be presented: of a credential set the
 * first option that can be met, of an optional one nothing. Throws when the query cannot be met.
 */
export function matchDcqlQuery(input: unknown, credentials: readonly ReceivedCredential[]): AskedCredential[] {
  const query = parsed(input);
  const candidates = credentials.flatMap(describe);
  const result = DcqlQuery.query(
    query,
    candidates.map(({ described }) => described),
  );
  const asked = query.credentials.flatMap((one): AskedCredential[] => {
    const valid = result.credential_matches[one.id]?.valid_credentials ?? [];
    const paths = (one.claims ?? []).map((claim): ClaimPath => ('path' in claim ? claim.path : []));
    const matches = valid.flatMap(({ input_credential_index: index, claims }): Match[] => {
      const credential = candidates[index]?.credential;
      // §6.4.1: the sets are in the verifier's order of preference; the first that fits is used.
      const claimIndexes = claims.valid_claim_sets[0].valid_claim_indexes ?? [];
      return credential ? [{ credential, paths: claimIndexes.map((at) => paths[at] ?? []) }] : [];
    });
    const [first, ...others] = newestFirst(matches);
    const { id, format, require_cryptographic_holder_binding: holderBinding } = one;
    return first ? [{ id, format, holderBinding, matches: [first, ...others] }] : [];
  });
  const sets = result.credential_sets?.filter(({ required }) => required);
  const needed = sets
    ? sets.flatMap(({ matching_options: options }) => options?.[0] ?? [])
    : query.credentials.map(({ id }) => id);
  if (!result.can_be_satisfied) throw new WalletFailure(missing(query, asked));
  return asked.filter(({ id }) => needed.includes(id));
}

function parsed(input: unknown): DcqlQuery {
  try {
    const query = DcqlQuery.parse(input as DcqlQuery.Input);
    DcqlQuery.validate(query);
    return query;
  } catch (error) {
    throw new WalletFailure(`The DCQL query is malformed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An SD-JWT VC goes by both names of its format: the name changed between the drafts, the credential did not. */
function describe(credential: ReceivedCredential): Candidate[] {
  const content = contentOf(credential);
  const bound = { cryptographic_holder_binding: credential.keyId !== null };
  if (credential.format === 'jwt_vc_json') {
    const claims = vcOf(content) as Claims;
    // §B.1.1: queries name expanded types; the base type has a context, our additional types have none.
    const base = 'https://www.w3.org/2018/credentials#VerifiableCredential';
    const type = [...((claims['type'] ?? []) as string[]), base];
    return [{ credential, described: { credential_format: 'jwt_vc_json', type, claims, ...bound } }];
  }
  return (['dc+sd-jwt', 'vc+sd-jwt'] as const).map((format) => ({
    credential,
    described: { credential_format: format, vct: credential.type, claims: content as Claims, ...bound },
  }));
}

function missing(query: DcqlQuery, asked: readonly AskedCredential[]): string {
  const unmet = query.credentials.filter(({ id }) => !asked.some((one) => one.id === id));
  const texts = unmet.map(({ id, format, meta, claims }) => {
    const names = (claims ?? []).map((claim) => ('path' in claim ? claim.path.join('.') : claim.claim_name));
    return `${id} (${format} ${JSON.stringify(meta ?? {})}${names.length > 0 ? ` with ${names.join(', ')}` : ''})`;
  });
  return `The wallet holds no credential that matches ${texts.join(' or ')}.`;
}
