import { CompactEncrypt, importJWK, type JWK } from 'jose';
import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { answered, get, type Json, postForm, postJson, type Reply } from '../http/requests';
import { readJwt } from '../wallets/credentials';

export const variants = ['1.0', 'haip', 'draft-20', 'draft-20-redirect', 'siopv2'] as const;
export type Variant = (typeof variants)[number];

/** A request as the relying party made it. */
export interface Asked {
  readonly url: string;
  readonly state: string;
  readonly answer: Json;
}

/** What a wallet of one generation sees of a request. */
export interface Received {
  readonly variant: Variant;
  readonly link: URL;
  /** The parameters, out of the signed object or out of the link. */
  readonly parameters: Json;
  readonly clientId: string;
  readonly nonce: string;
  readonly state: string;
  /** Where the response is posted. */
  readonly responseUri: string;
}

/** @param body of POST /v0/authorization_requests */
export async function ask(url: string, body: Json): Promise<Asked> {
  const answer = answered(201, await postJson(`${url}/v0/authorization_requests`, body));
  return { url, state: String(answer['state']), answer };
}

export async function resultOf({ url, state }: Asked): Promise<Json> {
  return answered(200, await get(`${url}/v0/authorization_requests/${encodeURIComponent(state)}`));
}

export function linkOf({ answer }: Asked, variant: Variant = '1.0'): string {
  const link = (answer['variants'] as Record<string, string | null>)[variant];
  if (typeof link !== 'string') throw new Error(`the request has no variant ${variant}`);
  return link;
}

/** Fetches and checks a request as a strict wallet does. @param walletNonce posts it at the request URI */
export async function receiveRequest(asked: Asked, variant: Variant = '1.0', walletNonce?: string): Promise<Received> {
  const link = new URL(linkOf(asked, variant));
  const uri = link.searchParams.get('request_uri');
  const parameters = uri === null ? byValue(link) : await fetchObject(uri, walletNonce);
  const clientId = String(parameters['client_id']);
  if (clientId !== link.searchParams.get('client_id')) throw new Error('the client_id of the link is another one');
  return {
    variant,
    link,
    parameters,
    clientId,
    nonce: String(parameters['nonce']),
    state: String(parameters['state']),
    responseUri: String(parameters['response_uri'] ?? parameters['redirect_uri']),
  };
}

/** The content of a response. `tokens` by the id of the credential query. */
export interface Answer {
  readonly tokens?: Readonly<Record<string, string>>;
  readonly idToken?: string;
}

export type FormChanges = Readonly<Record<string, string | undefined>>;

/** The form of a response in the format of the request's generation; `undefined` leaves a parameter out. */
export function formOf(received: Received, answer: Answer, changes: FormChanges = {}): [string, string][] {
  const form = { ...plainForm(received, answer), ...changes };
  return Object.entries(form).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
}

export function post({ responseUri }: Received, form: [string, string][]): Promise<Reply> {
  return postForm(responseUri, form);
}

/** Answers in the response mode that the request names. */
export async function respond(received: Received, answer: Answer, changes: FormChanges = {}): Promise<Reply> {
  if (received.parameters['response_mode'] !== 'direct_post.jwt') {
    return post(received, formOf(received, answer, changes));
  }
  return post(received, [['response', await encryptedAnswer(received, answer)]]);
}

export interface EncryptionChanges {
  readonly header?: Json;
  readonly key?: JWK;
  /** Instead of the answer. */
  readonly plaintext?: string;
}

/** The `response` of direct_post.jwt: the form as JSON in a JWE to the key of the request. */
export async function encryptedAnswer(
  received: Received,
  answer: Answer,
  { header, key, plaintext }: EncryptionChanges = {},
): Promise<string> {
  const metadata = received.parameters['client_metadata'] as Json;
  const [jwk] = (metadata['jwks'] as { keys: JWK[] }).keys;
  const [enc] = (metadata['encrypted_response_enc_values_supported'] as string[] | undefined) ?? [
    String(metadata['authorization_encrypted_response_enc']),
  ];
  const members = Object.entries(plainForm(received, answer)).map(([name, value]) => [
    name,
    name === 'presentation_submission' || value.startsWith('{') || value.startsWith('[')
      ? (JSON.parse(value) as unknown)
      : value,
  ]);
  const text = plaintext ?? JSON.stringify(Object.fromEntries(members));
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: enc ?? '', kid: jwk?.kid ?? '', ...header })
    .encrypt(await importJWK(key ?? jwk ?? {}, 'ECDH-ES'));
}

export interface Descriptor {
  readonly id: string;
  readonly path: string;
  readonly format: string;
  readonly path_nested?: Json;
}

/** The submission that goes with tokens, the single one alone and several in a list (draft 20 §6.1). */
export function submissionOf(received: Received, tokens: Answer['tokens'] = {}): Json {
  const definition = received.parameters['presentation_definition'] as Json;
  const ids = Object.keys(tokens);
  const descriptorMap = ids.map((id, index): Descriptor => {
    const path = ids.length === 1 ? '$' : `$[${index}]`;
    if ((tokens[id] ?? '').includes('~')) return { id, path, format: 'vc+sd-jwt' };
    const nested = { id, format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' };
    return { id, path, format: 'jwt_vp_json', path_nested: nested };
  });
  return { id: 'submission', definition_id: definition['id'], descriptor_map: descriptorMap };
}

function plainForm(received: Received, { tokens, idToken }: Answer): Record<string, string> {
  const { variant, state } = received;
  const list = Object.values(tokens ?? {});
  return {
    state,
    ...(idToken !== undefined && { id_token: idToken }),
    ...(tokens &&
      (variant === '1.0' || variant === 'haip') && {
        vp_token: JSON.stringify(Object.fromEntries(Object.entries(tokens).map(([id, token]) => [id, [token]]))),
      }),
    ...(tokens &&
      variant.startsWith('draft') && {
        vp_token: list.length === 1 ? String(list[0]) : JSON.stringify(list),
        presentation_submission: JSON.stringify(submissionOf(received, tokens)),
      }),
  };
}

function byValue(link: URL): Json {
  const parsed = [...link.searchParams].map(([name, value]) => [
    name,
    value.startsWith('{') ? (JSON.parse(value) as unknown) : value,
  ]);
  return Object.fromEntries(parsed) as Json;
}

/** Fetches the signed object and verifies it. */
export async function fetchObject(uri: string, walletNonce?: string): Promise<Json> {
  const reply = await (walletNonce === undefined ? get(uri) : postForm(uri, [['wallet_nonce', walletNonce]]));
  answered(200, reply);
  return checkedObject(reply.text);
}

/** The content of a signed object, verified with the key of the DID or the certificate that it names. */
export async function checkedObject(jws: string): Promise<Json> {
  const { header, payload } = readJwt(jws);
  if (header['typ'] !== 'oauth-authz-req+jwt') throw new Error(`a request object of type ${String(header['typ'])}`);
  const end = jws.lastIndexOf('.');
  const clientId = String(payload['client_id']);
  const signer = header['x5c'] === undefined ? await keyOfDid(header, clientId) : keyOfCertificate(header, clientId);
  const key = { key: signer, dsaEncoding: 'ieee-p1363' } as const;
  const signature = Buffer.from(jws.slice(end + 1), 'base64url');
  if (!verify('sha256', Buffer.from(jws.slice(0, end)), key, signature)) throw new Error('a forged request');
  return payload;
}

async function keyOfDid(header: Json, clientId: string): Promise<KeyObject> {
  const kid = String(header['kid']);
  const [did = ''] = kid.split('#');
  if (!clientId.endsWith(did)) throw new Error('the request is signed in the name of another DID');
  return createPublicKey({ key: await publicJwkOf(kid), format: 'jwk' });
}

/** As OpenID4VP 1.0 §5.9.3 has it, without the way to a root. */
function keyOfCertificate(header: Json, clientId: string): KeyObject {
  const [first = ''] = header['x5c'] as string[];
  const leaf = new X509Certificate(Buffer.from(first, 'base64'));
  const [prefix = ''] = clientId.split(':');
  const name = clientId.slice(prefix.length + 1);
  const hash = createHash('sha256').update(leaf.raw).digest('base64url');
  const isNamed = prefix === 'x509_hash' ? name === hash : leaf.checkHost(name, { subject: 'never' }) !== undefined;
  if (!isNamed || header['kid'] !== undefined) throw new Error('the request is signed in the name of another client');
  return leaf.publicKey;
}

/** The key of a verification method of a did:jwk or did:web. */
async function publicJwkOf(kid: string): Promise<JsonWebKey> {
  const [did = ''] = kid.split('#');
  if (did.startsWith('did:jwk:')) {
    return JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString('utf8')) as JsonWebKey;
  }
  const [host = '', ...path] = did.slice('did:web:'.length).split(':').map(decodeURIComponent);
  const document = answered(
    200,
    await get(`https://${[host, ...(path.length ? path : ['.well-known'])].join('/')}/did.json`),
  );
  const methods = document['verificationMethod'] as { id: string; publicKeyJwk: JsonWebKey }[];
  return methods.find(({ id }) => id === kid)?.publicKeyJwk ?? {};
}
