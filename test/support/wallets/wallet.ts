import { type Holder, keyProof, newHolder, type ProofChanges } from './key-proofs';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../http/requests';

/** How a wallet spells its credential request; see docs on request classes: F is 1.0, L13 is draft 13, and so on. */
export const requestClasses = ['F', 'F-single', 'L14', 'L13', 'L11'] as const;
export type RequestClass = (typeof requestClasses)[number];

export const preAuthorizedGrant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

export interface Offer {
  readonly issuer: string;
  readonly configurationIds: readonly string[];
  readonly code: string;
  readonly txCode: Json | undefined;
}

/** What a wallet has in hand once it redeemed an offer. */
export interface Session {
  readonly requestClass: RequestClass;
  readonly offer: Offer;
  /** The metadata document this wallet reads: the 1.0 one for F and F-single, the draft-13 one otherwise. */
  readonly metadata: Json;
  readonly token: Json;
  readonly accessToken: string;
}

/** Where a wallet reads the offer that a link names by reference. */
export function offerUri(link: string): string {
  const uri = new URL(link).searchParams.get('credential_offer_uri');
  if (uri === null) throw new Error(`no credential_offer_uri in ${link}`);
  return uri;
}

export async function readOffer(link: string): Promise<Offer> {
  const offer = answered(200, await get(offerUri(link)));
  const grant = (offer['grants'] as Json)[preAuthorizedGrant] as Json;
  return {
    issuer: String(offer['credential_issuer']),
    configurationIds: offer['credential_configuration_ids'] as string[],
    code: String(grant['pre-authorized_code']),
    txCode: grant['tx_code'] as Json | undefined,
  };
}

/** 1.0 inserts the well-known name between host and path, drafts up to 15 append it. */
export async function readMetadata(issuer: string, generation: 'final' | 'draft-13'): Promise<Json> {
  const { origin, pathname } = new URL(issuer);
  const name = '.well-known/openid-credential-issuer';
  const url = generation === 'final' ? `${origin}/${name}${pathname}` : `${issuer}/${name}`;
  return answered(200, await get(url));
}

/** A wallet of 1.0 with what it got for an authorization code. */
export async function sessionByCode(
  issuer: string,
  configurationIds: readonly string[],
  token: Json,
): Promise<Session> {
  return {
    requestClass: 'F',
    offer: { issuer, configurationIds, code: '', txCode: undefined },
    metadata: await readMetadata(issuer, 'final'),
    token,
    accessToken: String(token['access_token']),
  };
}

/** @param changes parameters to add or replace; `undefined` leaves one out */
export function redeem(offer: Offer, changes: Record<string, string | undefined> = {}): Promise<Reply> {
  const parameters: typeof changes = {
    grant_type: preAuthorizedGrant,
    'pre-authorized_code': offer.code,
    ...changes,
  };
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return postForm(`${offer.issuer}/token`, given);
}

export async function openSession(
  link: string,
  requestClass: RequestClass = 'F',
  parameters: Record<string, string | undefined> = {},
): Promise<Session> {
  const offer = await readOffer(link);
  const isFinal = requestClass === 'F' || requestClass === 'F-single';
  const metadata = await readMetadata(offer.issuer, isFinal ? 'final' : 'draft-13');
  const token = answered(200, await redeem(offer, parameters));
  return { requestClass, offer, metadata, token, accessToken: String(token['access_token']) };
}

/** From the nonce endpoint where the wallet's generation knows it, else from the token response. */
export async function freshNonce({ requestClass, offer, token }: Session): Promise<string> {
  if (requestClass === 'F') return nonceFrom(offer.issuer);
  return String(token['c_nonce']);
}

export async function nonceFrom(issuer: string): Promise<string> {
  return String(answered(200, await send(`${issuer}/nonce`, { method: 'POST' }))['c_nonce']);
}

/** What a test changes of one valid credential request. */
export interface RequestChanges {
  readonly holders?: readonly Holder[];
  /** Instead of a fresh one. */
  readonly nonce?: string;
  readonly configurationId?: string;
  /** One for each holder; the last one holds for the rest. */
  readonly proof?: ProofChanges | readonly ProofChanges[];
  /** Members to add or replace; `undefined` leaves one out. */
  readonly body?: Json;
  readonly headers?: Record<string, string>;
  /** Another address than the metadata names. */
  readonly endpoint?: string;
}

/** The body of a credential request in the shape of the session's class. */
export async function credentialRequest(session: Session, changes: RequestChanges = {}): Promise<Json> {
  const { offer, metadata, requestClass } = session;
  const { holders = [newHolder()], proof = {} } = changes;
  const nonce = changes.nonce ?? (await freshNonce(session));
  const perHolder: readonly ProofChanges[] = Array.isArray(proof) ? proof : [proof as ProofChanges];
  const jwts = holders.map((holder, index) =>
    keyProof(holder, offer.issuer, nonce, perHolder[index] ?? perHolder.at(-1) ?? {}),
  );
  const id = changes.configurationId ?? offer.configurationIds[0] ?? '';
  const named = requestClass.startsWith('F')
    ? { credential_configuration_id: id }
    : byFormat(metadata, id, requestClass);
  const proven =
    requestClass === 'F' || requestClass === 'L14'
      ? { proofs: { jwt: jwts } }
      : { proof: { proof_type: 'jwt', jwt: jwts[0] } };
  return { ...named, ...proven, ...changes.body };
}

export async function requestCredential(session: Session, changes: RequestChanges = {}): Promise<Reply> {
  const body = await credentialRequest(session, changes);
  const headers = { authorization: `Bearer ${session.accessToken}`, ...changes.headers };
  return postJson(changes.endpoint ?? String(session.metadata['credential_endpoint']), body, headers);
}

/** The credentials of an answer, however its generation spells them. */
export function credentialsOf(answer: Json): string[] {
  const several = answer['credentials'] as (string | { credential: string })[] | undefined;
  if (several) return several.map((one) => (typeof one === 'string' ? one : one.credential));
  return [String(answer['credential'])];
}

/** The whole way from a link to the credentials. */
export async function receive(
  link: string,
  requestClass: RequestClass = 'F',
  changes: RequestChanges = {},
): Promise<string[]> {
  const session = await openSession(link, requestClass);
  return credentialsOf(answered(200, await requestCredential(session, changes)));
}

function byFormat(metadata: Json, id: string, requestClass: RequestClass): Json {
  const configuration = (metadata['credential_configurations_supported'] as Record<string, Json>)[id];
  if (!configuration) throw new Error(`the metadata knows no configuration ${id}`);
  const { format, vct, doctype } = configuration;
  if (doctype !== undefined) return { format, doctype };
  if (vct !== undefined) return { format, vct };
  const { type } = configuration['credential_definition'] as Json;
  return requestClass === 'L11' ? { format, types: type } : { format, credential_definition: { type } };
}
