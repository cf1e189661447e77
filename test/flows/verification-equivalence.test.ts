import {
  DidResolver,
  IssuerKeys,
  matchCredential,
  type PresentationPolicy,
  StatusChecker,
  typeInheritance,
} from '@app/credentials';
import type { OwnCertificates, ServiceIdentity } from '@app/identity';
import { type JsonObject } from '@app/primitives/json';
import type { Authenticator, Sealer } from '@app/keys';
import { type DcqlQuery, derivePresentationDefinition, OAuthError, parseDcqlQuery, walletUrls } from '@app/openid4vc';
import type { AuthorizationRequest } from '@app/verification/src/request/request-record';
import type { RequestTerms, VariantTerms } from '@app/verification/src/request/request-terms';
import type { OwnRegistration } from '@app/verification/src/question/own-registration';
import { PresentationDefinitions } from '@app/verification/src/question/presentation-definitions';
import { RequestClients } from '@app/verification/src/rendering/request-clients';
import { RequestRendering } from '@app/verification/src/rendering/request-rendering';
import { RequestSecrets } from '@app/verification/src/request/request-secrets';
import { ResponseReader } from '@app/verification/src/response/response-reader';
import { ResponseVerifier } from '@app/verification/src/response/response-verifier';
import { verifiedAlgorithms } from '@app/verification/src/question/verified-algorithms';
import { attempt } from '@app/primitives/awaitable';
import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { formOf, type Received } from '../support/presenters/presenter';
import { foreignJwtVc, foreignSdJwt, inSeconds, presentJwtVc, presentSdJwt } from '../support/presenters/credentials';
import { choose, type Definition, meets } from '../support/presenters/exchange';
import { newHolder } from '../support/wallets/key-proofs';
import type { Json } from '../support/http/requests';

// Everything below happens in this process; the random names and values are few, so that they often meet.

const issuer = newHolder('EdDSA', 'did:jwk');
const holder = newHolder('EdDSA', 'did:jwk');
const other = newHolder('EdDSA', 'did:jwk');
const did = 'did:web:verifier.example';

const nowhere = () => Promise.reject(new Error('nothing is fetched'));
const dids = new DidResolver({ fetchDocument: nowhere });
const issuerKeys = new IssuerKeys({ fetchDocument: nowhere, dids });
const policy: PresentationPolicy = {
  dids,
  issuerKeys,
  algorithms: verifiedAlgorithms,
  statuses: new StatusChecker({
    fetchDocument: nowhere,
    issuerKeys,
    algorithms: verifiedAlgorithms,
    undetermined: 'reject',
  }),
  inheritance: typeInheritance(nowhere),
  isTrusted: () => 'trusted',
};
// The few members of the configuration that rendering, reading and verifying use.
const macOfSalt = (purpose: string, ...parts: string[]) => createHmac('sha256', purpose).update(parts.join()).digest();
const secrets = new RequestSecrets({ macOfSalt } as unknown as Authenticator);
const identity = { asDid: () => ({ id: did }) } as unknown as ServiceIdentity;
const definitions = new PresentationDefinitions(secrets);
const registration = { sentWith: () => ({}) } as unknown as OwnRegistration;
const urls = walletUrls('https://verifier.example');
const clients = new RequestClients(identity, {} as OwnCertificates, secrets, urls);
const rendering = new RequestRendering(clients, secrets, definitions, registration, urls);
const reader = new ResponseReader(secrets, definitions, {} as Sealer);
const verifier = new ResponseVerifier(clients, { policy });

type Side = 'final' | 'draft-20';

function requestFor(query: DcqlQuery): AuthorizationRequest & RequestTerms {
  return {
    state: 's',
    handleSalt: 'salt',
    query,
    responseType: 'vp_token',
    responseMode: 'direct_post',
    clientIdPrefix: 'decentralized_identifier',
    variants: [],
    sealedTerms: '',
    unavailable: {},
    expiresAt: '2999-01-01T00:00:00Z',
    status: 'pending',
    retrievedBy: [],
    declined: [],
    rejections: 0,
  };
}

/** What a wallet of the generation knows of the request. */
function receivedBy(
  side: Side,
  request: AuthorizationRequest & RequestTerms,
): Received & { terms: VariantTerms<Side> } {
  const terms = { variant: side, nonce: `nonce-of-${side}` };
  const wire = rendering.wireRequest(request, terms, { issuedAt: new Date() });
  const definition = 'definition' in wire ? wire.definition : undefined;
  return {
    terms,
    variant: side === 'final' ? '1.0' : 'draft-20',
    link: new URL('openid4vp://'),
    parameters: { presentation_definition: definition },
    clientId: side === 'final' ? `decentralized_identifier:${did}` : did,
    nonce: terms.nonce,
    state: wire.state,
    responseUri: wire.responseUri,
  };
}

/** Posts an answer: accepted, unreadable, or the check that failed. */
async function verdict(side: Side, query: DcqlQuery, answers: ReadonlyMap<string, Held>): Promise<string> {
  const request = requestFor(query);
  const received = receivedBy(side, request);
  const tokens = Object.fromEntries([...answers].map(([id, held]) => [id, held.present(received)]));
  const form = new URLSearchParams(formOf(received, { tokens }));
  const now = new Date();
  const found = { id: 's', request, wrappedKey: Buffer.alloc(0), now };
  const read = await Promise.resolve(attempt(() => reader.read(found, side, form))).catch((error: unknown) => {
    if (error instanceof OAuthError) return undefined;
    throw error;
  });
  if (read?.kind !== 'presentations') return 'unreadable';
  const result = await verifier.verify(request, received.terms, read, now);
  return 'failure' in result ? result.failure.check : 'accepted';
}

/** A credential in the wallet. */
interface Held {
  readonly format: 'dc+sd-jwt' | 'jwt_vc_json';
  readonly types: readonly string[];
  /** What a definition is evaluated on: the payload of the JWT, everything disclosed. */
  readonly content: Json;
  /** What a DCQL query is evaluated on. */
  readonly root: JsonObject;
  present(received: Received): string;
}

const badly = ['expired', 'forged', 'stolen', 'unbound', 'status'] as const;
const anyFault = fc.oneof({ weight: 3, arbitrary: fc.constant('none' as const) }, fc.constantFrom(...badly));
type Fault = 'none' | (typeof badly)[number];

const leaf = fc.constantFrom<unknown>('x', 'y', '1', 1, 2, true, false, null);
const names = ['a', "b'c-d", 'toString'] as const;
const name = fc.constantFrom(...names);
const value = fc.oneof(leaf, fc.array(leaf, { minLength: 1, maxLength: 3 }), fc.dictionary(name, leaf, { maxKeys: 2 }));
const claims = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
const vct = fc.constantFrom('urn:vct:1', 'urn:vct:2');
const type = fc.constantFrom('A', 'B', 'C');

const sdJwtCredential = fc
  .record({ claims, vct, fault: anyFault })
  .map(({ claims: disclosed, vct: its, fault }) => heldSdJwt(disclosed, its, fault));
const jwtCredential = fc
  .record({ claims, types: fc.uniqueArray(type, { maxLength: 2 }), fault: anyFault })
  .map(({ claims: subject, types, fault }) => heldJwt(subject, ['VerifiableCredential', ...types], fault));
const credential = fc.oneof(sdJwtCredential, jwtCredential);

function heldSdJwt(disclosed: Json, its: string, fault: Fault): Held & { fault: Fault } {
  const payload = { vct: its, ...payloadOf(fault), ...(fault === 'unbound' && { cnf: undefined }) };
  const signer = fault === 'forged' ? { signer: other, header: issuer.header } : {};
  const text = foreignSdJwt(issuer, holder, { claims: disclosed, payload, ...signer });
  const content = { vct: its, ...disclosed };
  const by = fault === 'stolen' ? other : holder;
  const present = (received: Received) => presentSdJwt(text, by, received);
  return { format: 'dc+sd-jwt', types: [its], content, root: content, present, fault };
}

function heldJwt(subject: Json, types: readonly string[], fault: Fault): Held & { fault: Fault } {
  const bound = fault === 'unbound' ? {} : { id: holder.did };
  const vc = { type: types, credentialSubject: { ...bound, ...subject } };
  const payload = { ...payloadOf(fault), ...(fault === 'unbound' && { sub: undefined }) };
  const signer = fault === 'forged' ? { signer: other, header: issuer.header } : {};
  const text = foreignJwtVc(issuer, holder, { vc, payload, ...signer });
  const by = fault === 'stolen' ? other : holder;
  const present = (received: Received) => presentJwtVc([text], by, received);
  return { format: 'jwt_vc_json', types, content: { vc }, root: vc as unknown as JsonObject, present, fault };
}

function payloadOf(fault: Fault): Json {
  if (fault === 'expired') return { exp: inSeconds(-600) };
  return fault === 'status' ? { status: { status_list: { idx: 0, uri: 'https://nowhere.example/' } } } : {};
}

const step = fc.oneof({ weight: 3, arbitrary: name }, fc.constantFrom(0, 1, null, null));
const claimQuery = (format: Held['format'], id: string) =>
  fc
    .record({
      path: fc.array(step, { minLength: 1, maxLength: 2 }),
      values: fc.option(
        fc.oneof(
          fc.uniqueArray(fc.constantFrom('x', 'y', '1'), { minLength: 1 }),
          fc.uniqueArray(fc.constantFrom(1, 2), { minLength: 1 }),
          fc.constant([true]),
          fc.constant(['x', 1]),
        ),
        { nil: undefined },
      ),
    })
    .map(({ path, values }) => ({
      id,
      path: format === 'jwt_vc_json' ? ['credentialSubject', ...path] : path,
      ...(values && { values }),
    }));

const meta = {
  'dc+sd-jwt': fc.uniqueArray(vct, { minLength: 1 }).map((values): Json => ({ vct_values: values })),
  jwt_vc_json: fc
    .array(fc.uniqueArray(fc.oneof(type, fc.constant('VerifiableCredential')), { minLength: 1, maxLength: 2 }), {
      minLength: 1,
      maxLength: 2,
    })
    .map((values): Json => ({ type_values: values })),
};

const credentialQuery = (id: string) =>
  fc.constantFrom('dc+sd-jwt' as const, 'jwt_vc_json' as const).chain((format) =>
    fc
      .record({
        meta: meta[format],
        claims: fc.tuple(claimQuery(format, 'k'), claimQuery(format, 'l'), claimQuery(format, 'm')),
        used: fc.constantFrom(0, 0, 1, 1, 2, 3),
        claimSets: fc.option(
          fc.array(fc.uniqueArray(fc.constantFrom('k', 'l'), { minLength: 1 }), { minLength: 1, maxLength: 3 }),
        ),
        binding: fc.constantFrom(undefined, true, false),
      })
      .map(({ claims: all, used, claimSets, binding, ...rest }) => ({
        id,
        format,
        ...rest,
        ...(used > 0 && { claims: all.slice(0, used) }),
        ...(used > 1 && claimSets && { claim_sets: claimSets }),
        ...(binding !== undefined && { require_cryptographic_holder_binding: binding }),
      })),
  );

const ids = ['one', 'two', 'three'];
const credentialSet = (known: readonly string[]) =>
  fc.record({
    options: fc.array(fc.uniqueArray(fc.constantFrom(...known), { minLength: 1 }), { minLength: 1, maxLength: 2 }),
    required: fc.constantFrom(undefined, true, false),
  });

/** Well-formed queries; the parser refuses a claim that is addressed twice. */
const query = fc
  .nat(2)
  .map((last) => ids.slice(0, last + 1))
  .chain((known) =>
    fc.record({
      credentials: fc.tuple(...known.map(credentialQuery)),
      sets: fc.option(fc.array(credentialSet(known), { minLength: 1, maxLength: 2 })),
    }),
  )
  .map(({ credentials, sets }) => parsedOrNothing({ credentials, ...(sets && { credential_sets: sets }) }))
  .filter((parsed) => parsed !== undefined);

function parsedOrNothing(value: object): DcqlQuery | undefined {
  try {
    return parseDcqlQuery(JSON.parse(JSON.stringify(value)));
  } catch {
    return undefined;
  }
}

/** The definition that older wallets get, or undefined when the query cannot be expressed as one. */
function derived(asked: DcqlQuery) {
  const state = secrets.wireStateOf({ handleSalt: 'salt' }, 'draft-20');
  const result = derivePresentationDefinition(asked, state, { variant: 'draft-20', algorithms: verifiedAlgorithms });
  return 'unavailable' in result ? undefined : result;
}

const derivable = query.filter((asked) => derived(asked) !== undefined);

/** Which of several credentials for one query are sent; the draft names them by descriptors. */
function byDescriptor(asked: DcqlQuery, answers: ReadonlyMap<string, Held>, seed: number): Map<string, Held> {
  const meant = Object.entries(derived(asked)?.descriptorToQueryId ?? {});
  return new Map(
    [...answers].flatMap(([queryId, held]): [string, Held][] => {
      const fitting = meant.filter(([, id]) => id === queryId);
      const [descriptor = 'nobody-asked'] = fitting[seed % Math.max(fitting.length, 1)] ?? [];
      return [[descriptor, held]];
    }),
  );
}

const seen = { accepted: 0, refused: 0, satisfied: 0, unsatisfied: 0 };

describe('draft 20 and DCQL', () => {
  it('give the same verdict on the same credentials', async () => {
    await fc.assert(
      fc.asyncProperty(
        derivable,
        fc.array(fc.option(credential), { minLength: 3, maxLength: 3 }),
        fc.nat(5),
        async (asked, chosen, seed) => {
          const answers = new Map<string, Held>();
          for (const [index, { id }] of asked.credentials.entries()) {
            const held = chosen[index];
            if (held) answers.set(id, held);
          }
          fc.pre(answers.size > 0);
          const final = await verdict('final', asked, answers);
          seen[final === 'accepted' ? 'accepted' : 'refused'] += 1;
          const draft = await verdict('draft-20', asked, byDescriptor(asked, answers, seed));
          // What no set names cannot be expressed in the draft.
          if (draft === 'unreadable') expect(final).not.toBe('accepted');
          else expect(draft).toBe(final);
        },
      ),
      { numRuns: 400 },
    );
    expect(seen.accepted).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(50);
  });

  it('are satisfied by the same wallets', async () => {
    const honest = credential.filter(({ fault }) => fault === 'none');
    await fc.assert(
      fc.asyncProperty(derivable, fc.array(honest, { maxLength: 6 }), async (asked, wallet) => {
        const final = await byDcql(asked, wallet);
        seen[final ? 'satisfied' : 'unsatisfied'] += 1;
        expect(await byDefinition(asked, wallet)).toBe(final);
      }),
      { numRuns: 600 },
    );
    expect(seen.satisfied).toBeGreaterThan(50);
    expect(seen.unsatisfied).toBeGreaterThan(50);
  });
});

/** A wallet of 1.0 sends what it has for each query that a set mentions. */
async function byDcql(asked: DcqlQuery, wallet: readonly Held[]): Promise<boolean> {
  const within = asked.credential_sets?.flatMap(({ options }) => options.flat());
  const answers = new Map<string, Held>();
  for (const each of asked.credentials) {
    const held = wallet.find(({ format, types, root }) => !matchCredential(each, { format, types, claims: root }));
    if (held && (within?.includes(each.id) ?? true)) answers.set(each.id, held);
  }
  return answers.size === 0 ? nothingIsRequired(asked) : (await verdict('final', asked, answers)) === 'accepted';
}

/** A wallet of draft 20 evaluates the definition, sends what that requests, and does not know DCQL. */
async function byDefinition(asked: DcqlQuery, wallet: readonly Held[]): Promise<boolean> {
  const request = receivedBy('draft-20', requestFor(asked));
  const definition = request.parameters['presentation_definition'] as Definition;
  const fitting = new Map<string, Held>();
  for (const descriptor of definition.input_descriptors) {
    const format = (held: Held) => (held.format === 'dc+sd-jwt' ? 'vc+sd-jwt' : 'jwt_vc_json');
    const held = wallet.find((each) => format(each) in descriptor.format && meets(descriptor, each.content));
    if (held) fitting.set(descriptor.id, held);
  }
  const chosen = choose(definition, new Set(fitting.keys()));
  if (!chosen) return false;
  const answers = new Map([...fitting].filter(([id]) => chosen.has(id)));
  return answers.size === 0 || (await verdict('draft-20', asked, answers)) === 'accepted';
}

/** A wallet has nothing to send when everything is optional. */
function nothingIsRequired({ credential_sets: sets }: DcqlQuery): boolean {
  return sets?.every(({ required }) => required === false) ?? false;
}
