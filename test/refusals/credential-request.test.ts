import { SealedTokens } from '@app/keys';
import { randomBytes } from 'node:crypto';
import { inventedNonce, keyProof, newHolder } from '../support/wallets/key-proofs';
import { answered, type Json, postJson, type Reply } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { credentialStatus, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  credentialRequest,
  freshNonce,
  nonceFrom,
  openSession,
  type RequestChanges,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

const service = serviceOfFile();
let issuer: string;
let membership: string;
beforeAll(async () => {
  issuer = `${service.url}/openid4vci`;
  membership = await publishedTemplate(service.url);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const unset = (...names: string[]): Json => Object.fromEntries(names.map((name) => [name, undefined]));

async function session(requestClass: RequestClass = 'F'): Promise<Session> {
  return openSession((await prepareOffer(service.url)).link, requestClass);
}

function expiredNonce(): string {
  return service.app
    .get(SealedTokens, { strict: false })
    .issue('c_nonce', randomBytes(32), new Date(Date.now() - 1000));
}

interface RequestRefusal {
  readonly what: string;
  readonly shape?: RequestClass;
  /** Changes of one valid request. */
  readonly changes?: (session: Session) => RequestChanges | Promise<RequestChanges>;
  /** Sent instead of a JSON body. */
  readonly body?: (valid: Json) => { readonly text: string | Uint8Array; readonly type?: string };
  readonly status?: number;
  readonly error: string;
}

const json = (text: string | Uint8Array) => () => ({ text });
const members = (body: Json) => () => ({ body });
const jwt = keyProof(newHolder(), 'https://x.example', 'x');

// Each fault of a request is listed in libs/openid4vc/src/credential/credential-request.spec.ts, of its proofs in
// libs/credentials/src/key-proof/key-proof.spec.ts.
const refusals: RequestRefusal[] = [
  { what: 'no JSON', body: json('{"credential_configuration_id":'), error: 'invalid_credential_request' },
  {
    what: 'a member twice',
    body: (valid) => ({ text: `{"proofs":1,${JSON.stringify(valid).slice(1)}` }),
    error: 'invalid_credential_request',
  },
  {
    what: 'bytes that are not UTF-8',
    body: json(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    error: 'invalid_credential_request',
  },
  {
    what: 'text/plain',
    body: (valid) => ({ text: JSON.stringify(valid), type: 'text/plain' }),
    status: 415,
    error: 'invalid_credential_request',
  },
  {
    what: 'a JWE whose header cannot be read',
    body: () => ({ text: 'a.b.c.d.e', type: 'application/jwt' }),
    error: 'invalid_credential_request',
  },
  {
    what: '100 KB',
    body: (valid) => ({ text: JSON.stringify({ ...valid, x: 'x'.repeat(100_000) }) }),
    status: 413,
    error: 'invalid_credential_request',
  },
  {
    what: 'an unknown configuration',
    changes: () => ({ configurationId: 'other' }),
    error: 'unknown_credential_configuration',
  },
  {
    what: 'an identifier although none was given',
    changes: members({ ...unset('credential_configuration_id'), credential_identifier: quickStart }),
    error: 'unknown_credential_identifier',
  },
  {
    what: 'proof and proofs',
    changes: members({ proof: { proof_type: 'jwt', jwt } }),
    error: 'invalid_credential_request',
  },
  {
    what: 'an unknown format',
    shape: 'L13',
    changes: members({ format: 'ldp_vc' }),
    error: 'unsupported_credential_format',
  },
  {
    what: 'other types',
    shape: 'L13',
    changes: members({ credential_definition: { type: ['VerifiableCredential', 'Other'] } }),
    error: 'unsupported_credential_type',
  },
  {
    what: 'a configuration the token does not cover',
    changes: () => ({ configurationId: membership }),
    status: 403,
    error: 'insufficient_scope',
  },
  { what: 'no proof (F)', changes: members(unset('proofs')), error: 'invalid_proof' },
  { what: 'no proof (L13)', shape: 'L13', changes: members(unset('proof')), error: 'invalid_proof' },
  { what: 'an expired nonce (F)', changes: () => ({ nonce: expiredNonce() }), error: 'invalid_nonce' },
  {
    what: 'an expired nonce (L13)',
    shape: 'L13',
    changes: () => ({ nonce: expiredNonce() }),
    error: 'invalid_proof',
  },
  {
    what: 'an invented nonce (L14)',
    shape: 'L14',
    changes: () => ({ nonce: inventedNonce() }),
    error: 'invalid_proof',
  },
  {
    what: "another token's nonce (F)",
    changes: async () => ({ nonce: await foreignNonce() }),
    error: 'invalid_nonce',
  },
  {
    what: "another token's nonce (L13)",
    shape: 'L13',
    changes: async () => ({ nonce: await foreignNonce() }),
    error: 'invalid_proof',
  },
  {
    what: 'eleven proofs',
    changes: () => ({ holders: Array.from({ length: 11 }, () => newHolder()) }),
    error: 'invalid_credential_request',
  },
  {
    what: 'one bad proof among three',
    changes: () => ({ holders: [newHolder(), newHolder(), newHolder()], proof: [{}, { header: { typ: 'JWT' } }, {}] }),
    error: 'invalid_proof',
  },
  {
    what: 'response encryption that is asked for in clear',
    changes: members({ credential_response_encryption: { jwk: {}, alg: 'ECDH-ES', enc: 'A256GCM' } }),
    error: 'invalid_encryption_parameters',
  },
];

async function foreignNonce(): Promise<string> {
  return freshNonce(await session('L13'));
}

describe('a credential request is rejected with', () => {
  const bound: Partial<Record<RequestClass, { session: Session; credentialId: string }>> = {};
  beforeAll(async () => {
    for (const shape of ['F', 'L13', 'L14'] as const) {
      const { link, credentialIds } = await prepareOffer(service.url);
      bound[shape] = { session: await openSession(link, shape), credentialId: credentialIds[0] ?? '' };
    }
  });

  const nonces: string[] = [];
  it.each(refusals)('$what', async ({ shape = 'F', changes, body, status = 400, error }) => {
    const { session } = bound[shape] ?? { session: await openSession('') };
    const nonce = await nonceFrom(issuer);
    nonces.push(nonce);
    const wanted = { nonce, ...(await changes?.(session)) };
    const reply = body
      ? await sendBody(session, body(await credentialRequest(session, wanted)))
      : await requestCredential(session, wanted);
    expectRefusal(reply, status, error);
    const wantsNonce = error === 'invalid_proof' && shape !== 'F';
    expect(Object.hasOwn(reply.json, 'c_nonce')).toBe(wantsNonce);
  });

  it('any of these faults without using up a nonce or changing the credential', async () => {
    for (const { credentialId } of Object.values(bound)) {
      expect(await credentialStatus(service.url, credentialId)).toBe('Prepared');
    }
    for (const nonce of nonces.slice(-3)) answered(200, await requestCredential(await session(), { nonce }));
  });

  function sendBody(
    { accessToken }: Session,
    { text, type = 'application/json' }: { text: string | Uint8Array; type?: string },
  ): Promise<Reply> {
    return postJson(`${issuer}/credential`, text, { ...bearer(accessToken), 'content-type': type });
  }
});

describe('a credential request', () => {
  it('may use one nonce for each credential of an offer, and for each of them once', async () => {
    const configurations = [quickStart, membership];
    const several = await openSession((await prepareOffer(service.url, configurations)).link);
    const nonce = await freshNonce(several);
    const ask = async (configurationId: string): Promise<Reply> =>
      requestCredential(several, { nonce, configurationId, holders: [newHolder()] });
    for (const configurationId of configurations) answered(200, await ask(configurationId));
    for (const configurationId of configurations) expectRefusal(await ask(configurationId), 400, 'invalid_nonce');
  });

  it('may have a charset in its content type, and its scheme in small letters', async () => {
    const one = await session();
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      authorization: `bearer ${one.accessToken}`,
    };
    answered(200, await requestCredential(one, { headers }));
  });
});
