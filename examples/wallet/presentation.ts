import { SDJwtInstance } from '@sd-jwt/core';
import { type DcqlCredential, DcqlQuery } from 'dcql';
import { createPrivateKey, type JsonWebKey, randomUUID, sign } from 'node:crypto';
import { hash } from './client';
import { contentOf, sdJwts } from './credential';
import { WalletFailure } from './failure';
import { presentMdoc } from './mdoc';
import { didUrl, holderDid, type HolderKey, signJwt } from './keys';
import type { PresentationRequest, TransactionData } from './request';
import type { ReceivedCredential, WalletFile } from './wallet-file';

export interface PresentOptions {
  /** Ids of credentials to use where several would do; the newest is used otherwise. */
  readonly credentials?: readonly string[] | undefined;
  /** Claims of SD-JWTs to disclose in place of those asked for, as `address.locality`. */
  readonly disclose?: readonly string[] | undefined;
}

/** What went into one presentation. */
export interface PresentedCredential {
  /** What the verifier calls it. */
  readonly queryId: string;
  readonly credentialId: string;
  readonly title: string;
  /** The claims the verifier gets to see beyond what the issuer left open, for people. */
  readonly disclosed: readonly string[];
  /** The transactions that this presentation confirms, as `payment {"amount":"12.50 EUR"}`. */
  readonly confirmed: readonly string[];
}

/** A credential of the wallet that answers a question, with the claims it was asked for, as `address.locality` or `levels.*`. */
interface Match {
  readonly credential: ReceivedCredential;
  readonly claims: readonly string[];
}

/** One credential a verifier asks for. */
export interface AskedCredential {
  readonly id: string;
  /** False when the verifier wants the bare credential, without proof that we hold it. */
  readonly holderBinding: boolean;
  /** Never empty; the newest first. */
  readonly matches: readonly [Match, ...Match[]];
}

/** `membership: given_name, address.locality (2 credentials match)` */
export function askedText({ id, matches: [{ claims }, ...others] }: AskedCredential): string {
  const several = others.length > 0 ? ` (${others.length + 1} credentials match, the newest unless --credential)` : '';
  return `${id}: ${claims.join(', ') || 'no single claims'}${several}`;
}

/**
 * Matches the wallet against a DCQL query (OpenID4VP 1.0 §6). Answers what must be presented: of a credential set the first
 * option that can be met, of an optional one nothing. Throws when the query cannot be met.
 */
export async function findAsked(input: unknown, credentials: readonly ReceivedCredential[]) {
  const query = DcqlQuery.parse(input as DcqlQuery.Input);
  DcqlQuery.validate(query);
  // An SD-JWT VC goes by both names of its format: the name changed between the drafts, the credential did not.
  for (const one of query.credentials) if (one.format === 'vc+sd-jwt') Object.assign(one, { format: 'dc+sd-jwt' });
  const result = DcqlQuery.query(query, await Promise.all(credentials.map(describe)));
  const asked = query.credentials.flatMap((one): AskedCredential[] => {
    const found = (result.credential_matches[one.id]?.valid_credentials ?? []).flatMap((valid): Match[] => {
      // §6.4.1: the sets are in the verifier's order of preference; the first that fits is used.
      const fitting = valid.claims.valid_claim_sets[0].valid_claim_indexes ?? [];
      const claims = fitting.map((at) => one.claims?.[at]).map((claim) => (claim && 'path' in claim ? claim.path : []));
      const ways = claims.map((path) => path.map((step) => step ?? '*').join('.'));
      const credential = credentials[valid.input_credential_index];
      return credential ? [{ credential, claims: ways }] : [];
    });
    const [first, ...others] = found.sort((a, b) => b.credential.receivedAt.localeCompare(a.credential.receivedAt));
    const { id, require_cryptographic_holder_binding: holderBinding } = one;
    return first ? [{ id, holderBinding, matches: [first, ...others] }] : [];
  });
  if (!result.can_be_satisfied) {
    const unmet = query.credentials.filter(({ id }) => !asked.some((one) => one.id === id));
    const texts = unmet.map(({ id, format, ...wanted }) => `${id} (${format} ${JSON.stringify(wanted)})`);
    throw new WalletFailure(`The wallet holds no credential that matches ${texts.join(' or ')}.`);
  }
  const needed = result.credential_sets?.flatMap((set) => (set.required ? (set.matching_options?.[0] ?? []) : []));
  return asked.filter(({ id }) => needed?.includes(id) ?? true);
}

async function describe(credential: ReceivedCredential): Promise<DcqlCredential> {
  const claims = await contentOf(credential);
  const cryptographic_holder_binding = credential.keyId !== null;
  const vc = claims['vc'] as { readonly type: readonly string[] } | undefined;
  // §B.1.1: queries name expanded types; the base type has a context, our additional types have none.
  const base = 'https://www.w3.org/2018/credentials#VerifiableCredential';
  const { type: doctype, claims: namespaces } = credential;
  const described =
    credential.format === 'mso_mdoc'
      ? { credential_format: 'mso_mdoc', doctype, namespaces, cryptographic_holder_binding }
      : vc
        ? { credential_format: 'jwt_vc_json', type: [...vc.type, base], claims: vc, cryptographic_holder_binding }
        : { credential_format: 'dc+sd-jwt', vct: credential.type, claims, cryptographic_holder_binding };
  return described as DcqlCredential;
}

/** Makes the presentations of everything that is asked, by the ids of the query; nothing is sent yet. */
export async function prepareAnswer(
  request: PresentationRequest,
  asked: readonly AskedCredential[],
  file: WalletFile,
  { credentials = [], disclose }: PresentOptions,
): Promise<{ presentations: ReadonlyMap<string, string>; presented: readonly PresentedCredential[] }> {
  const unusable = credentials.find(
    (id) => !asked.some(({ matches }) => matches.some((one) => one.credential.id === id)),
  );
  if (unusable !== undefined) throw new WalletFailure(`The credential ${unusable} matches nothing in the request.`);
  const chosen = asked.map((one) => ({
    ...one,
    match: one.matches.find(({ credential }) => credentials.includes(credential.id)) ?? one.matches[0],
  }));
  const contents = await Promise.all(chosen.map(({ match }) => contentOf(match.credential)));
  const unknown = disclose?.find((claim) => !contents.some((content) => hasClaim(content, claim)));
  if (unknown !== undefined) throw new WalletFailure(`None of the credentials has the claim ${unknown}.`);
  // OpenID4VP 1.0 §5.1: of several credentials that an entry names the first that is presented confirms it, and only that one.
  const confirming = ({ transactionData: { credential_ids: ids } }: TransactionData) =>
    asked.find(({ id }) => ids.includes(id));
  for (const entry of request.transactionData) {
    const { type, credential_ids: ids, transaction_data_hashes_alg: hashes = ['sha-256'] } = entry.transactionData;
    const lacks = !hashes.includes('sha-256')
      ? 'wants another hash than sha-256.'
      : `needs the credential ${ids.join(' or ')}, which is not presented.`;
    if (!hashes.includes('sha-256') || !confirming(entry))
      throw new WalletFailure(`The transaction of type ${type} ${lacks}`);
  }
  const presentations = new Map<string, string>();
  const presented: PresentedCredential[] = [];
  for (const { id: queryId, holderBinding, match } of chosen) {
    const { credential, claims } = match;
    const { id: credentialId, title, keyId, format } = credential;
    const key = holderBinding && keyId !== null ? await file.key(keyId) : null;
    const entries = request.transactionData.filter((entry) => confirming(entry)?.id === queryId);
    if (entries.length > 0 && (format === 'jwt_vc_json' || format === 'mso_mdoc' || !key)) {
      throw new WalletFailure(`Only an SD-JWT with proof of possession confirms transactions, not ${title}.`);
    }
    const { text, disclosed } =
      format === 'jwt_vc_json'
        ? { text: await jwtPresentation(credential, key, request), disclosed: ['everything in it'] }
        : format === 'mso_mdoc'
          ? await presentMdoc(credential, disclose ?? claims, await file.key(keyId ?? ''), request)
          : await sdJwtPresentation(credential, disclose ?? claims, key, request, entries);
    presentations.set(queryId, text);
    presented.push({ queryId, credentialId, title, disclosed, confirmed: entries.map(transactionText) });
  }
  return { presentations, presented };
}

/**
 * Discloses the wanted claims, what leads to them, and everything below them. The library names a claim by the way to it, joined
 * with dots, where an index of an array counts decoys: it takes a name with a dot, and an array with decoys, for another claim.
 */
async function sdJwtPresentation(
  { credential }: ReceivedCredential,
  wanted: readonly string[],
  key: HolderKey | null,
  { payload: { client_id: aud, nonce } }: PresentationRequest,
  entries: readonly TransactionData[],
): Promise<{ text: string; disclosed: readonly string[] }> {
  const keys = (await sdJwts.presentableKeys(credential)).filter((one) => wanted.some((want) => onOneLine(want, one)));
  const frame = Object.fromEntries(keys.map((one) => [one, true] as const));
  // What only leads to another claim goes without saying.
  const disclosed = keys.filter((one) => !keys.some((other) => other.startsWith(`${one}.`)));
  if (!key) return { text: await sdJwts.present(credential, frame), disclosed };
  // RFC 7518 §3.4: r and s side by side, not DER.
  const privateKey = createPrivateKey({ key: key.privateJwk as JsonWebKey, format: 'jwk' });
  const signing = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const signer = (input: string) => sign(key.algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), signing);
  const holder = new SDJwtInstance({
    hasher: hash,
    kbSignAlg: key.algorithm,
    kbSigner: (input) => signer(input).toString('base64url'),
  });
  const payload = { iat: now(), aud, nonce, ...confirmation(entries) };
  return { text: await holder.present(credential, frame, { kb: { payload } }), disclosed };
}

/** VC data model 1.1 §6.3.1: the presentation is the `vp` claim of a JWT that the holder signs; without key the credential itself. */
async function jwtPresentation(
  received: ReceivedCredential,
  key: HolderKey | null,
  { payload: { client_id: aud, nonce } }: PresentationRequest,
) {
  const { credential } = received;
  if (!key) return credential;
  const holder = (await contentOf(received)).sub ?? holderDid(key, 'did:jwk');
  const vp = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiablePresentation'],
    holder,
    verifiableCredential: [credential],
  };
  const times = { iat: now(), nbf: now(), exp: now() + 300 };
  const payload = { iss: holder, sub: holder, aud, nonce, jti: `urn:uuid:${randomUUID()}`, ...times, vp };
  return signJwt(key, { typ: 'JWT', kid: didUrl(holder) }, payload);
}

/** The members of a key binding JWT that confirm these entries (OpenID4VP 1.0 appendix B.3.3.1); none for no entry. */
function confirmation(entries: readonly TransactionData[]): object {
  if (entries.length === 0) return {};
  const hashes = entries.map(({ encoded }) => Buffer.from(hash(encoded, 'sha-256')).toString('base64url'));
  return { transaction_data_hashes: hashes, transaction_data_hashes_alg: 'sha-256' };
}

function transactionText({ transactionData }: TransactionData): string {
  const { type, credential_ids: _ids, transaction_data_hashes_alg: _hashes, ...details } = transactionData;
  return `${type} ${JSON.stringify(details)}`;
}

/** Whether one way begins with the other. */
function onOneLine(want: string, claim: string): boolean {
  const steps = claim.split('.');
  return want.split('.').every((step, at) => at >= steps.length || step === '*' || step === steps[at]);
}

/** Names may have dots themselves, as those of name spaces do. */
function hasClaim(content: unknown, claim: string): boolean {
  return Object.entries(content ?? {}).some(
    ([name, value]) =>
      name === claim || (claim.startsWith(`${name}.`) && hasClaim(value, claim.slice(name.length + 1))),
  );
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
