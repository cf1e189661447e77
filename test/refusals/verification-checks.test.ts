import {
  disclosure,
  foreignJwtVc,
  foreignSdJwt,
  inSeconds,
  type JwtVcChanges,
  presentJwtVc,
  presentSdJwt,
  type SdJwtChanges,
} from '../support/presenters/credentials';
import { idCard } from '../support/presenters/holdings';
import { ask, receiveRequest, type Received, respond, resultOf, type Variant } from '../support/presenters/presenter';
import { expectCheckFailed } from '../support/presenters/refusals';
import { answered, type Json } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { newHolder, signatureOf } from '../support/wallets/key-proofs';

// Each fault that a check finds is listed with the check (libs/credentials). Here: what wallet and relying party see
// when a check fails, once for each check and format, and what depends on the request.

/** A word that occurs in presented claims only. */
const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const other = newHolder('ES256', 'did:jwk');

const service = serviceOfFile();

interface FailedCheck {
  readonly what: string;
  readonly check: string;
  readonly variant?: Variant;
  readonly query?: Json;
  /** The presentation; a valid one changed in one place. */
  readonly token: (received: Received) => string;
}

const withPrefix = ({ clientId }: Received) => `decentralized_identifier:${clientId}`;
const withoutPrefix = ({ clientId }: Received) => clientId.replace(/^[^:]+:/, '');

describe('a presented SD-JWT VC', () => {
  const sdJwtQuery = { ...idCard, claims: [{ path: ['given_name'], values: [canary] }] };
  const issued = (changes: SdJwtChanges = {}) =>
    foreignSdJwt(issuer, holder, { claims: { given_name: canary, level: 3 }, ...changes });
  const credential = (changes: SdJwtChanges) => (received: Received) => presentSdJwt(issued(changes), holder, received);
  const bound = (payload: (received: Received) => Json) => (received: Received) =>
    presentSdJwt(issued(), holder, received, { keyBinding: { payload: payload(received) } });

  const rows: FailedCheck[] = [
    { what: 'of another typ', check: 'structure', token: credential({ header: { typ: 'JWT' } }) },
    {
      what: 'signed by a key of another DID',
      check: 'issuer-key',
      token: credential({ header: other.header, signer: other }),
    },
    { what: 'signed by another key', check: 'issuer-signature', token: credential({ signer: other }) },
    {
      what: 'with an added disclosure',
      check: 'disclosures',
      token: (received) =>
        presentSdJwt(issued(), holder, received, {
          parts: ([jwt = '', ...rest]) => [jwt, disclosure('admin', true), ...rest],
        }),
    },
    { what: 'that has expired', check: 'times', token: credential({ payload: { exp: inSeconds(-3600) } }) },
    {
      what: 'without key binding',
      check: 'key-binding',
      token: (received) => presentSdJwt(issued(), holder, received, { bare: true }),
    },
    { what: 'for another nonce', check: 'nonce', token: bound(() => ({ nonce: 'x' })) },
    {
      what: 'for another nonce, although the query asks for no key binding',
      check: 'nonce',
      query: { require_cryptographic_holder_binding: false },
      token: bound(() => ({ nonce: 'x' })),
    },
    {
      what: 'for the client without its prefix',
      check: 'audience',
      token: bound((received) => ({ aud: withoutPrefix(received) })),
    },
    {
      what: 'for the client with a prefix',
      check: 'audience',
      variant: 'draft-20',
      token: bound((received) => ({ aud: withPrefix(received) })),
    },
    {
      what: 'for the response URI',
      check: 'audience',
      token: bound(({ responseUri }) => ({ aud: responseUri })),
    },
    {
      what: 'without a requested claim',
      check: 'query',
      token: (received) => presentSdJwt(issued(), holder, received, { reveal: ['level'] }),
    },
  ];

  it.each(rows)('$what fails the check $check', async ({ check, variant = '1.0', query, token }) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [{ ...sdJwtQuery, ...query }] } });
    const received = await receiveRequest(asked, variant);
    const reply = await respond(received, { tokens: { id_card: token(received) } });
    const valid = () => ({ tokens: { id_card: presentSdJwt(issued(), holder, received) } });
    await expectCheckFailed(asked, received, reply, { check, credentialId: 'id_card' }, valid, canary);
  });

  it('of several megabytes is rejected before it is read', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [sdJwtQuery] } });
    const received = await receiveRequest(asked);
    const sized = (length: number) => credential({ claims: { given_name: 'x'.repeat(length) } })(received);
    expect((await respond(received, { tokens: { id_card: sized(5_000_000) } })).status).toBe(413);
    expect((await respond(received, { tokens: { id_card: sized(1_000_000) } })).status).toBe(400);
  });

  it('may have claims named as members of every object', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [sdJwtQuery] } });
    const received = await receiveRequest(asked);
    const token = credential({ claims: { given_name: canary, constructor: 'x', toString: 1 } })(received);
    answered(200, await respond(received, { tokens: { id_card: token } }));
  });
});

describe('a presented JWT credential', () => {
  const bareKey = newHolder('ES256', 'jwk');
  const subject = { id: holder.did, given_name: canary };
  const jwtQuery = {
    id: 'badge',
    format: 'jwt_vc_json',
    meta: { type_values: [['VerifiableCredential', 'MembershipCredential']] },
    claims: [{ path: ['credentialSubject', 'given_name'] }],
  };
  const issued = (changes: JwtVcChanges = {}) =>
    foreignJwtVc(issuer, holder, { ...changes, vc: { credentialSubject: subject, ...changes.vc } });
  const credential = (changes: JwtVcChanges) => (received: Received) =>
    presentJwtVc([issued(changes)], holder, received);
  const made = (payload: (received: Received) => Json) => (received: Received) =>
    presentJwtVc([issued()], holder, received, { payload: payload(received) });

  const rows: FailedCheck[] = [
    { what: 'without vp', check: 'structure', token: made(() => ({ vp: undefined })) },
    { what: 'for another nonce', check: 'nonce', token: made(() => ({ nonce: 'x' })) },
    {
      what: 'for the client without its prefix',
      check: 'audience',
      token: made((received) => ({ aud: withoutPrefix(received) })),
    },
    ...(['draft-20', 'draft-20-redirect'] as const).map((variant) => ({
      what: `for the client with a prefix (${variant})`,
      check: 'audience',
      variant,
      token: made((received) => ({ aud: withPrefix(received) })),
    })),
    {
      what: 'signed by another holder',
      check: 'key-binding',
      token: (received) => presentJwtVc([issued()], holder, received, { sign: (input) => signatureOf(other, input) }),
    },
    {
      what: 'signed by a key of another issuer',
      check: 'issuer-key',
      token: credential({ signer: other, header: other.header }),
    },
    {
      what: 'together with a forged one',
      check: 'issuer-signature',
      token: (received) => presentJwtVc([issued(), issued({ signer: other, header: issuer.header })], holder, received),
    },
    { what: 'that has expired', check: 'times', token: credential({ payload: { exp: inSeconds(-3600) } }) },
    {
      what: 'of another holder',
      check: 'holder-binding',
      token: (received) => presentJwtVc([issued()], other, received),
    },
    {
      what: 'of other types',
      check: 'query',
      token: credential({ vc: { type: ['VerifiableCredential', 'Other'] } }),
    },
    {
      what: 'replaced by an SD-JWT',
      check: 'query',
      token: (received) =>
        presentSdJwt(foreignSdJwt(issuer, holder, { claims: { given_name: canary } }), holder, received),
    },
  ];

  it.each(rows)('$what fails the check $check', async ({ check, variant = '1.0', token }) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [jwtQuery] } });
    const received = await receiveRequest(asked, variant);
    const reply = await respond(received, { tokens: { badge: token(received) } });
    const valid = () => ({ tokens: { badge: presentJwtVc([issued()], holder, received) } });
    await expectCheckFailed(asked, received, reply, { check, credentialId: 'badge' }, valid, canary);
  });

  // test/refusals/verification-status.test.ts: rejected where the settings say so, as in production.
  it('whose status cannot be determined is accepted in development, and the result says so', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [jwtQuery] } });
    const received = await receiveRequest(asked);
    const token = issued({ vc: { credentialSubject: subject, credentialStatus: { type: 'Other' } } });
    answered(200, await respond(received, { tokens: { badge: presentJwtVc([token], holder, received) } }));
    const { credentials, timeline } = await resultOf(asked);
    expect(credentials).toMatchObject([{ status: 'undetermined' }]);
    const { checks } = ((timeline as Json[]).at(-1) as { detail: { checks: Json[] } }).detail;
    expect(checks).toContainEqual({
      name: 'status',
      outcome: 'passed',
      reason: 'not determined, accepted by the settings: the status of the credential is of another kind',
    });
  });

  it('may be bound to a bare key by cnf', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [jwtQuery] } });
    const received = await receiveRequest(asked);
    const bound = { sub: undefined, cnf: { jwk: bareKey.jwk } };
    const token = foreignJwtVc(issuer, bareKey, { vc: { credentialSubject: subject }, payload: bound });
    answered(200, await respond(received, { tokens: { badge: presentJwtVc([token], bareKey, received) } }));
  });
});
