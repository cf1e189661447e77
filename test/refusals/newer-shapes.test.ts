import { certify } from '@app/credentials/fixtures/certificates';
import { shapeVersions } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestOpenIdProvider, secret } from '../support/counterparts/openid-provider';
import { expectUnavailable } from '../support/http/refusals';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { claims, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { selfIssued } from '../support/presenters/credentials';
import { type Asked, ask, receiveRequest, respond } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { AttestedWallet } from '../support/wallets/attested-wallet';
import {
  authorize,
  clientId,
  codeForm,
  FormBrowser,
  pushRequest,
  redeemCode,
  wayBack,
} from '../support/wallets/authorization';
import { collect, deferredOffer } from '../support/wallets/deferred';
import { dpopProof } from '../support/wallets/dpop';
import { newHolder } from '../support/wallets/key-proofs';
import {
  freshNonce,
  nonceFrom,
  offerUri,
  openSession,
  readOffer,
  redeem,
  requestCredential,
  type Session,
  sessionByCode,
} from '../support/wallets/wallet';

const day = 24 * 60 * 60 * 1000;
const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
const root = certify({ name: 'wallets', isAuthority: true, ...validity });
const walletProvider = certify({ name: 'provider', issuer: root, isAuthority: false, ...validity });
const anchors = mkdtempSync(join(tmpdir(), 'anchors-'));

let provider: TestOpenIdProvider;
let service: RunningService;
let url: string;
let issuer: string;
let w3c: string;
let login: string;
beforeAll(async () => {
  writeFileSync(join(anchors, 'wallets.pem'), root.certificate.toString());
  writeFileSync(join(anchors, 'wallets.yaml'), 'purposes: [wallet-provider]\n');
  provider = await TestOpenIdProvider.start();
  service = await startService({
    SERVICE__TRUST__ANCHORS: anchors,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: provider.host,
    SERVICE__IDENTIFICATION__OPENID__ISSUER: provider.issuer,
    SERVICE__IDENTIFICATION__OPENID__CLIENT_ID: 'sealwright',
    SERVICE__IDENTIFICATION__OPENID__CLIENT_SECRET: secret,
  });
  ({ url } = service);
  issuer = `${url}/openid4vci`;
  const content = { format: 'jwt_vc_json', type: ['VerifiableCredential', 'Membership'], vct: undefined };
  w3c = await publishedTemplate(url, content);
  login = await publishedTemplate(url, { claims: { '/given_name': 'login:/given_name' }, identification: 'openid' });
});
afterAll(async () => {
  provider.stop();
  await service.stop();
  rmSync(anchors, { recursive: true });
});

const versions: Record<string, number> = shapeVersions;

/** What a replica of a release would have made that has changed the shape of this kind. */
async function byNewerRelease<T>(kind: string, make: () => Promise<T>): Promise<T> {
  versions[kind] = 2;
  try {
    return await make();
  } finally {
    versions[kind] = 1;
  }
}

type Use = (value: string) => Promise<Reply>;

interface Case {
  readonly kind: keyof typeof shapeVersions;
  /** Has a newer release make a value. @returns the value, where it can be forged, and how it is used */
  readonly make: (newer: <T>(work: () => Promise<T>) => Promise<T>) => Promise<[string, Use]>;
  /** What a forged value gets; absent where only its version is read, or another value is looked at first. */
  readonly forged?: number;
}

const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });
const codeIn = (fragment: string): string => new URLSearchParams(fragment.slice(1)).get('response_code') ?? '';
const pageIn = ({ answer }: Asked): string => (answer['links'] as { page: string }).page;

async function waiting(requestClass: 'F' | 'L11' = 'F'): Promise<Session> {
  return openSession((await deferredOffer(url, [w3c])).link, requestClass);
}

async function byCode(): Promise<{ readonly session: Session; readonly form: [string, string][] }> {
  const pushed = await pushRequest(url);
  const form = Object.entries(codeForm(await authorize(url, pushed), pushed));
  return { session: await sessionByCode(issuer, [quickStart], {}), form };
}

async function answeredOnOneDevice(body: Json): Promise<{ readonly asked: Asked; readonly code: string }> {
  const asked = await ask(url, body);
  const received = await receiveRequest(asked, 'siopv2');
  const idToken = selfIssued(newHolder('ES256', 'did:jwk'), received, '');
  const back = new URL(String(answered(200, await respond(received, { idToken }))['redirect_uri']));
  return { asked, code: codeIn(back.hash) };
}

const cases: readonly Case[] = [
  {
    kind: 'pre-authorized-code',
    forged: 400,
    make: async (newer) => {
      const { link } = await prepareOffer(url);
      const offer = await newer(() => readOffer(link));
      return [offer.code, (code) => redeem({ ...offer, code })];
    },
  },
  {
    kind: 'issuer-state',
    forged: 400,
    make: async (newer) => {
      const { link } = await prepareOffer(url, [quickStart], { grants: ['authorization_code'] });
      const { grants } = (await newer(() => get(offerUri(link)))).json as { grants: Record<string, Json> };
      const made = String(grants['authorization_code']?.['issuer_state']);
      return [made, async (state) => (await pushRequest(url, { issuer_state: state })).answer];
    },
  },
  {
    kind: 'authorization-code',
    forged: 400,
    make: async (newer) => {
      const pushed = await pushRequest(url);
      const browser = new FormBrowser(url);
      await browser.open(pushed.page);
      await browser.press('login', { username: 'ada', password: 'any' });
      const made = wayBack(await newer(() => browser.press('approve'))).get('code') ?? '';
      return [made, (code) => redeemCode(url, pushed, code)];
    },
  },
  {
    kind: 'refresh-token',
    forged: 400,
    make: async (newer) => {
      const { form } = await byCode();
      const key = newHolder();
      const proof = () => ({ dpop: dpopProof(key, `${issuer}/token`) });
      const { refresh_token: made } = answered(200, await newer(() => postForm(`${issuer}/token`, form, proof())));
      return [
        String(made),
        (token) =>
          postForm(
            `${issuer}/token`,
            Object.entries({ grant_type: 'refresh_token', refresh_token: token, client_id: clientId }),
            proof(),
          ),
      ];
    },
  },
  {
    kind: 'access-token',
    forged: 401,
    make: async (newer) => {
      const { link } = await prepareOffer(url);
      const session = await newer(() => openSession(link));
      return [session.accessToken, (accessToken) => requestCredential({ ...session, accessToken })];
    },
  },
  {
    kind: 'deferred-access-token',
    forged: 401,
    make: async (newer) => {
      const session = await newer(() => waiting());
      return [session.accessToken, (accessToken) => requestCredential({ ...session, accessToken })];
    },
  },
  {
    kind: 'code-access-token',
    forged: 401,
    make: async (newer) => {
      const { session, form } = await byCode();
      const made = answered(200, await newer(() => postForm(`${issuer}/token`, form)));
      return [String(made['access_token']), (accessToken) => requestCredential({ ...session, accessToken })];
    },
  },
  {
    kind: 'acceptance-token',
    forged: 401,
    make: async (newer) => {
      const session = await waiting('L11');
      const made = answered(202, await newer(() => requestCredential(session)))['acceptance_token'];
      const endpoint = String(session.metadata['deferred_credential_endpoint']);
      return [String(made), (token) => send(endpoint, { method: 'POST', headers: bearer(token) })];
    },
  },
  {
    kind: 'c_nonce',
    forged: 400,
    make: async (newer) => {
      const session = await openSession((await prepareOffer(url)).link);
      const made = await newer(() => nonceFrom(issuer));
      return [made, (nonce) => requestCredential(session, { nonce })];
    },
  },
  {
    kind: 'notification',
    forged: 400,
    make: async (newer) => {
      const session = await openSession((await prepareOffer(url)).link);
      const made = answered(200, await newer(() => requestCredential(session)))['notification_id'];
      return [
        String(made),
        (id) =>
          postJson(
            `${issuer}/notification`,
            { notification_id: id, event: 'credential_accepted' },
            bearer(session.accessToken),
          ),
      ];
    },
  },
  {
    kind: 'transaction',
    forged: 400,
    make: async (newer) => {
      const session = await waiting();
      const nonce = await freshNonce(session);
      const made = answered(202, await newer(() => requestCredential(session, { nonce })))['transaction_id'];
      return [String(made), (id) => collect(session, id)];
    },
  },
  {
    kind: 'attestation-challenge',
    forged: 400,
    make: async (newer) => {
      const { attestation_challenge: made } = (await newer(() => postForm(`${issuer}/challenge`, ''))).json;
      const wallet = new AttestedWallet(walletProvider, issuer, clientId);
      return [
        String(made),
        async (challenge) => (await pushRequest(url, {}, wallet.headers({ proof: { challenge } }))).answer,
      ];
    },
  },
  {
    kind: 'dpop-nonce',
    forged: 400,
    make: async (newer) => {
      const made = (await newer(() => postForm(`${issuer}/token`, ''))).headers.get('dpop-nonce') ?? '';
      const offer = await readOffer((await prepareOffer(url)).link);
      const form = {
        grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
        'pre-authorized_code': offer.code,
      };
      return [
        made,
        (nonce) => {
          const dpop = dpopProof(newHolder(), `${issuer}/token`, undefined, { claims: { nonce } });
          return postForm(`${issuer}/token`, Object.entries(form), { dpop });
        },
      ];
    },
  },
  {
    kind: 'authorization-session',
    make: async (newer) => {
      const pushed = await pushRequest(url);
      const browser = new FormBrowser(url);
      await newer(() => browser.open(pushed.page));
      return ['', () => get(pushed.page, { cookie: browser.cookie })];
    },
  },
  {
    kind: 'identification-state',
    make: async (newer) => {
      const browser = new FormBrowser(url);
      const { page } = await pushRequest(url, { scope: login });
      const reply = await newer(() => browser.open(page));
      return ['', () => browser.open(provider.loggedIn(reply.headers.get('location') ?? ''))];
    },
  },
  {
    kind: 'offer-handle',
    forged: 404,
    make: async (newer) => {
      const { link } = await newer(() => prepareOffer(url));
      return [offerUri(link).split('/').at(-1) ?? '', (handle) => get(`${issuer}/offers/${handle}`)];
    },
  },
  {
    kind: 'authorization-handle',
    make: async (newer) => {
      const pushed = await newer(() => pushRequest(url));
      return ['', () => get(pushed.page)];
    },
  },
  {
    kind: 'presentation-handle',
    make: async (newer) => {
      const asked = await newer(() => ask(url, {}));
      return ['', () => get(pageIn(asked))];
    },
  },
  {
    kind: 'response-code',
    make: async (newer) => {
      const { asked, code } = await newer(() => answeredOnOneDevice({ redirectUri: 'https://shop.example/back' }));
      return [
        '',
        () => postJson(`${url}/v0/authorization_requests/${asked.state}/response_code`, { responseCode: code }),
      ];
    },
  },
  {
    kind: 'browser',
    make: async (newer) => {
      const asked = await ask(url, { returnToPage: true });
      const { headers } = await newer(() => get(pageIn(asked)));
      return ['', () => get(pageIn(asked), { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' })];
    },
  },
  {
    kind: 'idempotent-answer',
    make: async (newer) => {
      const body = {
        offerId: randomUUID(),
        credentialConfigurationId: quickStart,
        credential: { credentialSubject: claims },
      };
      const key = { 'Idempotency-Key': randomUUID() };
      const post = () => postJson(`${url}/v0/credentials`, body, key);
      answered(201, await newer(post));
      return ['', post];
    },
  },
];

describe('what a replica of a newer release made', () => {
  const named = cases.map((each) => [each.kind, each] as const);

  it.each(named)('(%s) is refused for a while, and good afterwards', async (kind, { make }) => {
    const [value, use] = await make((work) => byNewerRelease(kind, work));
    expectUnavailable(await use(value));
    // Nothing was used up: a replica that knows the shape goes on.
    const { status, text } = await byNewerRelease(kind, () => use(value));
    expect({ isDone: status < 400 || /authorization_pending|issuance_pending/.test(text), status, text }).toMatchObject(
      {
        isDone: true,
      },
    );
  });

  it.each(named.filter(([, { forged }]) => forged !== undefined))(
    '(%s) is refused as any other when a character of it differs',
    async (kind, { make, forged }) => {
      const [value, use] = await make((work) => byNewerRelease(kind, work));
      expect(value).toMatch(/^2~/);
      const at = value.length - 20;
      const other = `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`;
      expect((await use(other)).status).toBe(forged);
    },
  );

  it('has a case here for each kind', () => {
    expect(cases.map(({ kind }) => kind).sort()).toEqual(Object.keys(shapeVersions).sort());
  });
});

it('is all in the table of the documentation', () => {
  const text = readFileSync(join(__dirname, '../../docs/operating.md'), 'utf8');
  const [chapter = ''] = /^### Two releases side by side[^]*?^## /m.exec(text) ?? [];
  const kinds = [...chapter.matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, kind]) => kind);
  expect(kinds.sort()).toEqual(Object.keys(shapeVersions).sort());
});
