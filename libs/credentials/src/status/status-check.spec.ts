import type { JsonObject } from '@app/primitives/json';
import { deflateSync } from 'node:zlib';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import {
  type Answer,
  expected,
  expectedJwt,
  issuer,
  issuerKey,
  jwtVc,
  jwtVp,
  network,
  now,
  policy,
  sdJwtPresentation,
  seconds,
} from '../../fixtures/presentations';
import { expectRefusal } from '../../fixtures/refusal';
import { didJwk } from '../issuers/did';
import { verifyPresentation } from '../presentation-verifier';
import { encodeStatusList } from './status-list';
import type { PresentationPolicy, PresentationResult } from '../presentation/verified-credential';

const uri = 'https://issuer.example/status/1';
const other = signingKey();
const MEDIA_TYPE = 'application/statuslist+jwt';
const list = encodeStatusList(2, 12, [
  [1, 1],
  [2, 2],
  [3, 3],
]);

type TokenChanges = {
  readonly header?: JsonObject;
  readonly payload?: JsonObject;
  readonly signer?: typeof issuerKey;
  readonly without?: string;
};

function token({ header, payload, signer = issuerKey, without = '' }: TokenChanges = {}): string {
  const claims: JsonObject = {
    sub: uri,
    iat: seconds - 10,
    exp: seconds + 600,
    ttl: 120,
    status_list: list,
    ...payload,
  };
  const { [without]: _, ...rest } = claims;
  return signer.sign({ typ: 'statuslist+jwt', kid: `${issuer}#0`, ...header }, rest);
}

function answer(text: string, contentType = MEDIA_TYPE): Record<string, Answer> {
  return { [uri]: { body: Buffer.from(text), contentType } };
}

const presentation = (idx: unknown): string =>
  sdJwtPresentation({ payload: { status: { status_list: { uri, idx: idx as number } } } });

function verify(text: string, rules: PresentationPolicy, at = now): Promise<PresentationResult> {
  return verifyPresentation(text, { ...expected, now: at }, rules);
}

describe('the status of a credential', () => {
  it('passes when its entry is 0, for both formats', async () => {
    const rules = policy({ fetch: network(answer(token())).fetch });
    const result = await verify(presentation(0), rules);
    expect(result).toMatchObject({ verified: true, credential: { status: 'valid' } });
    const vc = jwtVc({ payload: { status: { status_list: { uri, idx: 11 } } } });
    expect(await verifyPresentation(jwtVp({}, vc), expectedJwt, rules)).toMatchObject({
      verified: true,
      credential: { status: 'valid' },
    });
  });

  it.each([
    [1, 'the credential has been revoked'],
    [2, 'the credential is suspended'],
    [3, 'the credential has a status of unknown meaning'],
    [12, 'the status list has no entry for the credential'],
    [-1, 'the status index is not a whole number'],
    [0.5, 'the status index is not a whole number'],
    ['0', 'the status index is not a whole number'],
  ])('fails with entry %p: %s', async (idx, reason) => {
    const result = await verify(presentation(idx), policy({ fetch: network(answer(token())).fetch }));
    expectRefusal(result, 'status');
    const status = idx === 1 ? 'revoked' : idx === 2 ? 'suspended' : 'undetermined';
    expect(result).toMatchObject({ failure: { reason, status } });
  });

  it.each([1, 2, 3])('fails with entry %p also where an undetermined status is accepted', async (idx) => {
    const { fetch } = network(answer(token()));
    expectRefusal(await verify(presentation(idx), policy({ fetch, undetermined: 'accept' })), 'status');
  });

  it.each(['accept', 'reject'] as const)(
    'counts also beside a mechanism that is not known (%s)',
    async (undetermined) => {
      const beside = (idx: number): string =>
        sdJwtPresentation({ payload: { status: { identifier_list: { uri, id: '1' }, status_list: { uri, idx } } } });
      const rules = policy({ fetch: network(answer(token())).fetch, undetermined });
      expect(await verify(beside(0), rules)).toMatchObject({ verified: true, credential: { status: 'valid' } });
      expect(await verify(beside(1), rules)).toMatchObject({ verified: false, failure: { status: 'revoked' } });
    },
  );

  it.each<[string, Record<string, Answer>]>([
    ['nothing to be fetched', {}],
    ['a page', answer(token(), 'text/html')],
    ['JSON', answer('{}')],
    ['a list about another place', answer(token({ payload: { sub: `${uri}/` } }))],
    ['no sub', answer(token({ without: 'sub' }))],
    ['another typ', answer(token({ header: { typ: 'JWT' } }))],
    ['alg none', answer(token({ header: { alg: 'none' } }))],
    ['alg HS256', answer(token({ header: { alg: 'HS256' } }))],
    ['a signature of another key', answer(token({ signer: other }))],
    ['a signature of another issuer', answer(token({ signer: other, header: { kid: `${didJwk(other.jwk)}#0` } }))],
    ['the name of another issuer', answer(token({ payload: { iss: didJwk(other.jwk) } }))],
    ['an expired token', answer(token({ payload: { exp: seconds - 61 } }))],
    ['a token of the future', answer(token({ payload: { iat: seconds + 61 } }))],
    ['no iat', answer(token({ without: 'iat' }))],
    ['a ttl of zero', answer(token({ payload: { ttl: 0 } }))],
    ['3 bits', answer(token({ payload: { status_list: { ...list, bits: 3 } } }))],
    ['a garbled list', answer(token({ payload: { status_list: { ...list, lst: 'AAAA' } } }))],
    ['no list', answer(token({ without: 'status_list' }))],
    [
      'a zip bomb',
      answer(
        token({ payload: { status_list: { bits: 1, lst: deflateSync(Buffer.alloc(2 ** 27)).toString('base64url') } } }),
      ),
    ],
  ])('is undetermined with %s', async (_, pages) => {
    const { fetch } = network(pages);
    const result = await verify(presentation(0), policy({ fetch }));
    expectRefusal(result, 'status');
    expect(result).toMatchObject({ failure: { status: 'undetermined' } });
    const accepted = await verify(presentation(0), policy({ fetch, undetermined: 'accept' }));
    expect(accepted).toMatchObject({ verified: true, credential: { status: 'undetermined' } });
    expect(accepted.checks).toContainEqual({
      name: 'status',
      outcome: 'passed',
      reason: expect.stringMatching(/^not determined, accepted by the settings: /) as unknown,
    });
  });

  it('is told to an observer, with the reason when it is undetermined', async () => {
    const seen: unknown[] = [];
    const observe = (...told: unknown[]): void => void seen.push(told);
    const { fetch } = network(answer(token()));
    for (const idx of [0, 1, 2, 3, 12]) await verify(presentation(idx), policy({ fetch, observe }));
    await verify(sdJwtPresentation(), policy({ fetch, observe }));
    expect(seen).toEqual([
      ['valid'],
      ['revoked'],
      ['suspended'],
      ['undetermined', 'the credential has a status of unknown meaning'],
      ['undetermined', 'the status list has no entry for the credential'],
    ]);
  });

  it('is not asked for over the network when the list is our own', async () => {
    const stated = ['valid', 'suspended', 'revoked'] as const;
    const { fetch, asked } = network(answer(token()));
    const own = {
      isOwn: (list: string, of: string) => list === uri && of === issuer,
      statusAt: (_uri: string, index: number) => Promise.resolve(stated[index]),
    };
    const results = await Promise.all([0, 1, 2, 3].map((idx) => verify(presentation(idx), policy({ fetch, own }))));
    expect(results).toMatchObject([
      { verified: true, credential: { status: 'valid' } },
      { verified: false, failure: { check: 'status', status: 'suspended' } },
      { verified: false, failure: { check: 'status', status: 'revoked' } },
      { verified: false, failure: { check: 'status', status: 'undetermined' } },
    ]);
    expect(asked).toEqual([]);
  });

  it.each([[{}], [{ uri: 'x', idx: 0 }], [{ uri: [uri], idx: 0 }], [1]])(
    'fails with %j as reference',
    async (reference) => {
      const text = sdJwtPresentation({ payload: { status: { status_list: reference } } });
      const { fetch, asked } = network(answer(token()));
      expectRefusal(await verify(text, policy({ fetch })), 'status');
      expect(asked).toEqual([]);
    },
  );

  it('is not asked for before everything else about the presentation is right', async () => {
    const { fetch, asked } = network(answer(token()));
    const text = sdJwtPresentation({
      payload: { status: { status_list: { uri, idx: 0 } } },
      keyBindingSigner: other,
    });
    expectRefusal(await verify(text, policy({ fetch })), 'key-binding');
    expect(asked).toEqual([]);
  });

  it.each([
    ['for its ttl', { ttl: 120 }, 119, 120],
    ['for a minute at least', { ttl: 1 }, 59, 60],
    ['not beyond its exp', { ttl: 3600, exp: seconds + 90 }, 89, 90],
    ['for a day at most', { ttl: 10 ** 9, exp: seconds + 10 ** 9 }, 86_399, 86_400],
  ])('is remembered %s', async (_, payload, before, after) => {
    const { fetch, asked } = network(answer(token({ payload })));
    const rules = policy({ fetch });
    const at = async (later: number): Promise<void> => {
      const when = new Date(now.getTime() + later * 1000);
      const time = seconds + later;
      const text = sdJwtPresentation({
        payload: { exp: time + 60, status: { status_list: { uri, idx: 0 } } },
        keyBinding: { iat: time },
      });
      await verify(text, rules, when);
    };
    await at(0);
    await at(before);
    expect(asked).toHaveLength(1);
    await at(after);
    expect(asked).toHaveLength(2);
  });

  it('of one issuer says nothing about credentials of another that points to the same list', async () => {
    const rules = policy({ fetch: network(answer(token())).fetch });
    expect(await verify(presentation(0), rules)).toMatchObject({ verified: true });
    const iss = didJwk(other.jwk);
    const text = sdJwtPresentation({
      header: { kid: `${iss}#0` },
      payload: { iss, status: { status_list: { uri, idx: 0 } } },
      signer: other,
    });
    expectRefusal(await verify(text, rules), 'status');
  });
});
