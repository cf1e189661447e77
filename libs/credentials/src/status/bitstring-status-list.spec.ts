import type { JsonObject, JsonValue } from '@app/primitives/json';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  type Answer,
  expectedJwt,
  issuer,
  issuerKey,
  jwtVc,
  jwtVcPayload,
  jwtVp,
  network,
  now,
  policy,
  seconds,
} from '../../fixtures/presentations';
import { expectRefusal } from '../../fixtures/refusal';
import { didJwk } from '../issuers/did';
import { FetchPostponed } from '../issuers/fetch-postponed';
import { verifyPresentation } from '../presentation-verifier';
import type { PresentationPolicy, PresentationResult } from '../presentation/verified-credential';

const uri = 'https://issuer.example/bitstrings/1';
const otherUri = 'https://issuer.example/bitstrings/2';
const other = signingKey();

/** Bits 1 and 94,567 are set, the first by the second highest bit of its byte. */
const bits = Buffer.alloc(16_384);
bits[0] = 0x40;
bits[Math.floor(94_567 / 8)] = 0x80 >> (94_567 % 8);
const encoded = (bytes: Buffer): string => `u${gzipSync(bytes).toString('base64url')}`;

type Changes = {
  readonly header?: JsonObject;
  readonly vc?: JsonObject;
  readonly subject?: JsonObject;
  readonly payload?: JsonObject;
  readonly signer?: typeof issuerKey;
};

function listCredential({ vc, subject }: Changes = {}): JsonObject {
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: uri,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer,
    validFrom: '2026-11-20T11:00:00Z',
    validUntil: '2026-11-20T13:00:00Z',
    credentialSubject: {
      id: `${uri}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: encoded(bits),
      ...subject,
    },
    ...vc,
  };
}

function list(changes: Changes = {}): string {
  const { signer = issuerKey, header, payload } = changes;
  return signer.sign(
    { typ: 'vc+jwt', kid: `${issuer}#0`, ...header },
    { ...listCredential(changes), iss: issuer, ...payload },
  );
}

const pages = (text = list(), contentType = 'application/vc+jwt'): Record<string, Answer> => ({
  [uri]: { body: Buffer.from(text), contentType },
});

const entry: JsonObject = {
  id: `${uri}#94567`,
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: '0',
  statusListCredential: uri,
};

function presentation(credentialStatus: JsonValue, payload: JsonObject = {}): string {
  const vc = { ...(jwtVcPayload['vc'] as JsonObject), credentialStatus };
  return jwtVp({}, jwtVc({ payload: { ...payload, vc } }));
}

function verify(credentialStatus: JsonValue, rules: PresentationPolicy): Promise<PresentationResult> {
  return verifyPresentation(presentation(credentialStatus), expectedJwt, rules);
}

const reading = (answers: Record<string, Answer>) => policy({ fetch: network(answers).fetch });

describe('the credentialStatus of a W3C credential', () => {
  it.each(['0', '2', '94566', '131071'])('passes when its bit %s is not set', async (statusListIndex) => {
    const result = await verify({ ...entry, statusListIndex }, reading(pages()));
    expect(result).toMatchObject({ verified: true, credential: { status: 'valid' } });
  });

  it.each([
    ['a list below vc, as in VCDM 1.1', { vc: listCredential(), ...jwtLike() }, 'application/jwt'],
    [
      'a list for several purposes',
      listCredential({ subject: { statusPurpose: ['suspension', 'revocation'] } }),
      undefined,
    ],
    ['a list that does not repeat its address', { ...listCredential(), id: uri }, undefined],
  ])('passes with %s', async (_, payload, contentType) => {
    const text = issuerKey.sign({ typ: 'JWT', kid: `${issuer}#0` }, payload);
    expect(await verify(entry, reading(pages(text, contentType)))).toMatchObject({ verified: true });
  });

  it.each([
    ['revocation', '1', 'revoked', 'the credential has been revoked'],
    ['revocation', '94567', 'revoked', 'the credential has been revoked'],
    ['suspension', '94567', 'suspended', 'the credential is suspended'],
  ])('of the purpose %s fails when its bit %s is set: %s', async (purpose, statusListIndex, status, reason) => {
    const answers = pages(list({ subject: { statusPurpose: purpose } }));
    const result = await verify({ ...entry, statusPurpose: purpose, statusListIndex }, reading(answers));
    expectRefusal(result, 'status');
    expect(result).toMatchObject({ failure: { status, reason } });
  });

  it.each<[string, Record<string, Answer>]>([
    ['nothing to be fetched', {}],
    ['a page', pages(list(), 'text/html')],
    ['JSON', pages('{}')],
    ['a list about another place', pages(list({ vc: { id: otherUri } }))],
    ['a jti of another place', pages(list({ payload: { jti: otherUri } }))],
    ['another typ', pages(list({ header: { typ: 'statuslist+jwt' } }))],
    ['another type of credential', pages(list({ vc: { type: ['VerifiableCredential'] } }))],
    ['alg none', pages(list({ header: { alg: 'none' } }))],
    ['a signature of another key', pages(list({ signer: other }))],
    ['a list of another issuer', pages(list({ vc: { issuer: { id: didJwk(other.jwk) } } }))],
    ['an iss of another issuer', pages(list({ payload: { iss: didJwk(other.jwk) } }))],
    ['an expired list', pages(list({ vc: { validUntil: '2026-11-20T11:58:00Z' } }))],
    ['a list of the future', pages(list({ vc: { validFrom: '2026-11-20T12:02:00Z' } }))],
    ['an exp in the past', pages(list({ payload: { exp: seconds - 61 } }))],
    ['a date that is none', pages(list({ vc: { validUntil: 'tomorrow' } }))],
    ['another purpose', pages(list({ subject: { statusPurpose: 'suspension' } }))],
    ['no purpose', pages(list({ subject: { statusPurpose: null } }))],
    ['another type of list', pages(list({ subject: { type: 'StatusList2021' } }))],
    ['a ttl of zero', pages(list({ subject: { ttl: 0 } }))],
    ['a list that is not multibase', pages(list({ subject: { encodedList: encoded(bits).slice(1) } }))],
    [
      'a list that is not GZIP',
      pages(list({ subject: { encodedList: `u${deflateSync(bits).toString('base64url')}` } })),
    ],
    ['a list that is not base64url', pages(list({ subject: { encodedList: 'u!' } }))],
    ['a list of few entries', pages(list({ subject: { encodedList: encoded(Buffer.alloc(16_383)) } }))],
    ['a gzip bomb', pages(list({ subject: { encodedList: encoded(Buffer.alloc(2 ** 27)) } }))],
  ])('is undetermined with %s', async (_, answers) => {
    const result = await verify(entry, reading(answers));
    expectRefusal(result, 'status');
    expect(result).toMatchObject({ failure: { status: 'undetermined' } });
    const lenient = policy({ fetch: network(answers).fetch, undetermined: 'accept' });
    expect(await verify(entry, lenient)).toMatchObject({ verified: true, credential: { status: 'undetermined' } });
  });

  it.each<[string, JsonValue]>([
    ['beyond the end', { ...entry, statusListIndex: '131072' }],
    ['below zero', { ...entry, statusListIndex: '-1' }],
    ['that is a number', { ...entry, statusListIndex: 0 }],
    ['too large for a number', { ...entry, statusListIndex: '9'.repeat(400) }],
    ['of another type', { ...entry, type: 'StatusList2021Entry' }],
    ['of another purpose', { ...entry, statusPurpose: 'message' }],
    ['of several bits', { ...entry, statusSize: 2 }],
    ['without an address', { ...entry, statusListCredential: 'x' }],
    ['that is a text', uri],
    ['too often', Array.from({ length: 9 }, () => entry)],
  ])('is undetermined with an entry %s', async (_, credentialStatus) => {
    const result = await verify(credentialStatus, reading(pages()));
    expectRefusal(result, 'status');
    expect(result).toMatchObject({ failure: { status: 'undetermined' } });
  });

  it('is none when it only says where a newer credential is', async () => {
    const result = await verify({ ...entry, statusPurpose: 'refresh' }, reading(pages()));
    expect(result).toMatchObject({ verified: true, credential: { status: 'none' } });
  });

  it.each<[string, JsonValue]>([
    ['another list cannot be fetched', { ...entry, statusListCredential: otherUri }],
    ['another entry is of unknown meaning', { ...entry, statusPurpose: 'message' }],
    ['it is suspended besides', { ...entry, statusPurpose: 'suspension', statusListIndex: '1' }],
  ])('says that the credential is revoked also when %s', async (_, second) => {
    const both = pages(list({ subject: { statusPurpose: ['revocation', 'suspension'] } }));
    const rules = policy({ fetch: network(both).fetch, undetermined: 'accept' });
    const result = await verify([second, { ...entry, statusListIndex: '1' }], rules);
    expect(result).toMatchObject({ verified: false, failure: { status: 'revoked' } });
  });

  it('is not decided when a list could not be asked for now', async () => {
    const { fetch } = network(pages());
    const rules = policy({
      undetermined: 'accept',
      fetch: (url, accept) => (url === uri ? fetch(url, accept) : Promise.reject(new FetchPostponed('busy'))),
    });
    const second = { ...entry, statusListCredential: otherUri };
    await expect(verify([{ ...entry, statusSize: 2 }, second], rules)).rejects.toThrow(FetchPostponed);
  });

  it('is not looked at next to a status claim, which says the same', async () => {
    const { fetch, asked } = network(pages());
    const status = { status_list: { uri: 'https://issuer.example/status/1', idx: 0 } };
    const text = presentation(entry, { status });
    expectRefusal(await verifyPresentation(text, expectedJwt, policy({ fetch })), 'status');
    expect(asked).toEqual(['https://issuer.example/status/1']);
  });

  it('is remembered for the ttl of its list, which is in milliseconds', async () => {
    const { fetch, asked } = network(pages(list({ subject: { ttl: 120_000 } })));
    const rules = policy({ fetch });
    const at = async (later: number): Promise<void> => {
      await rules.statuses.check(
        { types: [], credentialStatus: entry },
        issuer,
        new Date(now.getTime() + later * 1000),
      );
    };
    await at(0);
    await at(119);
    expect(asked).toHaveLength(1);
    await at(120);
    expect(asked).toHaveLength(2);
  });
});

function jwtLike(): JsonObject {
  return { iss: issuer, jti: uri, nbf: seconds - 60, exp: seconds + 600 };
}
